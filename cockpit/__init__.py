"""The cockpit: pages for operators, which read and never write."""
