"""The virtual drive and workspace: paths, contents, storage."""
