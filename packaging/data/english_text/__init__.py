"""English running text in the public domain: novels, Bibles and commentaries that Debian packages carry."""
