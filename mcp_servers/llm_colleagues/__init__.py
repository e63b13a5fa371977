"""Colleagues played by a language model: what it is told, what it drafts, how it is asked.

chat_send_message ──► situations ──► model ──► drafts ──effect──► the verb, the log
                      (a look)      (outside any transaction)     world/drafted.py decides
"""
