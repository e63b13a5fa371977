"""Independent solvers, one for each family: programs that work a day through its tools.

They were written only from the texts that a day shows and from what its tools print, by people who
had read neither the family nor its grader. They import nothing of the project, so that they prove
two things that an oracle cannot: the texts say enough, and the grader agrees with an honest reader.
"""
