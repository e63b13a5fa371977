"""Colleagues played by a language model: the prompt, the request and the drafts it returns.

chat_send_message ──► situations ──► model ──► drafts ──effect──► the verb, the log
                 (World.read)   (outside any transaction)    world/colleagues/model_reply.py decides
"""
