"""Converts real exports (mails, calendars, tables, documents) into the folder of an own office.

The door is `import_files`. Each kind of file has a module of its own. A file that an agent could
not read is converted or refused by name; nothing is left out in silence.
"""
