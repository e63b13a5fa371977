"""How agents scheduled their days: tables, and pictures next to the optimal day."""
