"""Pictures that are drawn when somebody looks: each lies in the world as the data it shows."""
