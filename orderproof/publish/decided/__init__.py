"""What `orderproof decide --out` writes about a user's model."""
