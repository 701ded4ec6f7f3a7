// Emscripten has no such file system: no statfs() returns this number.
#pragma once
#define PROC_SUPER_MAGIC 0x9fa0
