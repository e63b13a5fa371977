"""How agents scheduled their days: tables, and pictures beside the optimal day."""
