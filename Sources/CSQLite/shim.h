#pragma once
#include <sqlite3.h>

enum csqlite_code { CSQLITE_READONLY_DBMOVED = SQLITE_READONLY_DBMOVED };

// SQLITE_TRANSIENT, a cast that does not import: SQLite takes a copy of what is bound.
static inline sqlite3_destructor_type csqlite_copies(void) { return SQLITE_TRANSIENT; }

// sqlite3_db_config for the settings that are a flag: a variadic function does not import.
static inline int csqlite_set_flag(sqlite3 *database, int setting, int value) {
    return sqlite3_db_config(database, setting, value, (int *)0);
}
