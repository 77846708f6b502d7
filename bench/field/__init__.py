"""Published servers behind the proxy: right calls compared byte by byte, wrong calls judged by written rules."""
