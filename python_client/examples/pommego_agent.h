/* The C interface of agents that are shared libraries, `library:PATH` (version 1).
 *
 * A library has the three functions below. Each seat loads it into a process of its own, which calls
 * them one after the other: variables of the library are the seat's own. What it prints goes to
 * standard error.
 *
 *     cc -O2 -shared -fPIC -o basewar_bot.so basewar_bot.c
 *     pommego play --env BaseWarSides-v0 --agents library:./basewar_bot.so,simple
 *
 * All that a library is told comes as arrays of whole numbers, each with a name. They are valid during
 * the call. The names are the keys that arena/match/PROTOCOL.md lists for each game, and these are the
 * numbers:
 *
 *     JSON                          rows                 columns
 *     a number                      1                    1
 *     a list of numbers             the list's length    1
 *     a list of lists or objects    the list's length    numbers in each, an object's in its order
 *
 * true is 1, false 0 and null -1. The words "blue", "green" and "public" are 0, 1 and 2; other text is
 * the codes of its characters, so that SuiteBot II's `fields` has a row of '.', 'x' and '?' for each row
 * of the plan.
 */
#ifndef POMMEGO_AGENT_H
#define POMMEGO_AGENT_H

#include <stdint.h>
#include <string.h>

#define POMMEGO_EXPORT __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pommego_array {
  const char *name; /* NULL: there are no more arrays */
  int32_t rows, columns;
  const int32_t *values; /* rows * columns of them, row by row */
} pommego_array;

/* A game begins; forget the last one. `game` has `seat`, `seats`, `limit_ms` (for a move), `action_space`
 * (the number of choices of each component of an action) and all rules of the game. */
POMMEGO_EXPORT void pommego_begin(const pommego_array *game);

/* Choose the seat's action: write its components, which are all 0. */
POMMEGO_EXPORT void pommego_act(const pommego_array *observation, int32_t *action);

/* The game is over. `result` has `winners` (seats), `steps`, `reward` (what the last step paid) and what
 * the game counts, by seat. */
POMMEGO_EXPORT void pommego_end(const pommego_array *result);

#ifdef __cplusplus
}
#endif

/* The array of that name. One that is not there has no rows. */
static inline pommego_array pommego_find(const pommego_array *arrays, const char *name) {
  while (arrays->name != NULL && strcmp(arrays->name, name) != 0) arrays++;
  return *arrays;
}

/* The only number of an array, or the first of several; -1 if there is none. */
static inline int32_t pommego_number(const pommego_array *arrays, const char *name) {
  pommego_array found = pommego_find(arrays, name);
  return found.rows * found.columns > 0 ? found.values[0] : -1;
}

/* BaseWar: the columns of `bombers`, by id, and of `bombs`. `blast` has a row, column in each row. */
enum { BOMBER_ID, BOMBER_SIDE, BOMBER_ROW, BOMBER_COLUMN, BOMBER_LIVES, BOMBER_BOMBS, BOMBER_NUMBERS };
enum { BOMB_ROW, BOMB_COLUMN, BOMB_LIFE, BOMB_OWNER, BOMB_NUMBERS };
enum { SIDE_BLUE, SIDE_GREEN, SIDE_PUBLIC };
enum { CELL_FREE, CELL_STONE, CELL_BOX, CELL_BLUE_BASE, CELL_GREEN_BASE };
enum { MOVE_STOP, MOVE_UP, MOVE_DOWN, MOVE_LEFT, MOVE_RIGHT, MOVE_BOMB };

#endif
