"""A divergence made small: few rows, a short query, and a script that shows it without weigh."""
