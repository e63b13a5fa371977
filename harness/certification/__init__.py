"""The certificate of a rule, one claim per file; `harness/certify.py` collects them."""
