# A header as Doxygen wants it: its first comment is about the file, and KeyHash, whose members callers
# know but not its name, is the one class of detail that is shown.
1s,^//,/// @file\n///,
1,/^#pragma once$/s,^//\([^/]\|$\),///\1,
/^#pragma once$/d
s/\bdetail::KeyHash\b/KeyHash/
