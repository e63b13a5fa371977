"""The certificate of a rule, one claim per file; `harness/commands/certify.py` collects them."""
