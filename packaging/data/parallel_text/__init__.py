"""Builds the English-German corpus from Debian packages; started by packaging/data/english-german.

How the parts follow each other: packages.py fetches and unpacks; one reader per kind of text
(gettext_catalogs, manual_pages, libreoffice_help, debian_manuals, package_descriptions) finds pairs
and cleans them with cleaning.py; filters.py selects and splits; output.py and licences.py write. build.py is
the command.
"""
