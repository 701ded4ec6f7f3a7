# A header as Doxygen wants it. Its first comment is about the file; what is for the library's own
# code is left out; KeyHash, whose members callers know but not its name, is the one class of detail
# that is shown.
1s,^//,/// @file\n///,
1,/^#pragma once$/s,^//\([^/]\|$\),///\1,
/^#pragma once$/d
# Doxygen takes the macro for an enumerator.
s/^#\(define\|undef\) SIMDBLOOM_ENUMERATOR.*//
s/\bdetail::KeyHash\b/KeyHash/
/^ *\/\/ For the library's own code\.$/,/^\(private:\|protected:\|};\)$/{
s,^ *//.*own code\.$,/// @cond,
s,^\(private:\|protected:\|};\)$,/** @endcond */ \1,
}
