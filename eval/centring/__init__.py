"""Where the fixed centring of the local embedding space comes from."""
