// Emscripten has no file system of this kind: no statfs() gives this number.
#pragma once
#define PROC_SUPER_MAGIC 0x9fa0
