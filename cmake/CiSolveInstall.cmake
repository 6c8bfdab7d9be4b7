# Filled in with the package export.
