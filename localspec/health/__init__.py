"""What `localspec doctor` looks at: each part is asked for itself, and none can end the command."""
