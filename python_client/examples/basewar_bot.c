/* A bot for BaseWar to start from, in C, as a shared library.
 *
 * Each of its bombers walks to the nearest cell from which a bomb reaches a box or the enemy's base, lays
 * one, and keeps out of the way of blasts. It plays a bomber or a whole side.
 *
 *     cc -O2 -shared -fPIC -o basewar_bot.so basewar_bot.c
 *     pommego play --env BaseWarSides-v0 --agents library:./basewar_bot.so,simple --show
 */
#include "pommego_agent.h"

#define CELLS (15 * 15) /* of the largest map */

typedef struct {
  int size, range;
  int ground[CELLS];
  int bomb[CELLS];   /* whether a bomb lies there */
  int danger[CELLS]; /* in how many rounds a blast reaches the cell; 0: none will */
} Map;

static const int DOWN[] = {0, -1, 1, 0, 0}, RIGHT[] = {0, 0, 0, -1, 1}; /* by move */

/* The cell a move leads to, -1 beyond the edge. */
static int next(const Map *map, int cell, int move) {
  int row = cell / map->size + DOWN[move], column = cell % map->size + RIGHT[move];
  int inside = row >= 0 && row < map->size && column >= 0 && column < map->size;
  return inside ? row * map->size + column : -1;
}

/* Note when the blast of a bomb comes. */
static void mark(Map *map, int bomb, int rounds) {
  int move, steps, cell;
  for (move = MOVE_STOP; move <= MOVE_RIGHT; move++) {
    cell = bomb;
    for (steps = 0; steps <= map->range && cell >= 0 && map->ground[cell] == CELL_FREE; steps++) {
      if (map->danger[cell] == 0 || map->danger[cell] > rounds) map->danger[cell] = rounds;
      cell = next(map, cell, move);
    }
  }
}

static void read_map(Map *map, const pommego_array *observation) {
  pommego_array board = pommego_find(observation, "board"), bombs = pommego_find(observation, "bombs");
  int i, pass;
  memset(map, 0, sizeof *map);
  map->size = board.rows;
  map->range = pommego_number(observation, "blast_range");
  for (i = 0; i < board.rows * board.columns; i++) map->ground[i] = board.values[i];
  for (pass = 0; pass < 3; pass++) { /* bombs set each other off */
    for (i = 0; i < bombs.rows; i++) {
      const int32_t *bomb = bombs.values + i * bombs.columns;
      int cell = bomb[BOMB_ROW] * map->size + bomb[BOMB_COLUMN], early = map->danger[cell];
      map->bomb[cell] = 1;
      mark(map, cell, early > 0 && early < bomb[BOMB_LIFE] ? early : bomb[BOMB_LIFE]);
    }
  }
}

/* Whether a bomb on the cell would hit a box or the enemy's base, and not the own one. */
static int worth(const Map *map, int cell, int side) {
  int move, steps, found = 0;
  for (move = MOVE_UP; move <= MOVE_RIGHT; move++) {
    int at = cell, ground = CELL_FREE;
    for (steps = 0; steps < map->range && ground == CELL_FREE && (at = next(map, at, move)) >= 0; steps++)
      ground = map->ground[at];
    if (ground == CELL_BLUE_BASE + side) return 0;
    found |= ground >= CELL_BOX;
  }
  return found;
}

/* The first move of the shortest way, which no blast meets, to a cell that is out of danger and, if
 * `side` is not -1, worth a bomb of that side; MOVE_STOP if that is the cell itself, -1 without a way. */
static int way(const Map *map, int start, int side) {
  int queue[CELLS], first[CELLS], depth[CELLS], head = 0, tail = 0, move;
  memset(depth, -1, sizeof depth);
  queue[tail++] = start;
  first[start] = MOVE_STOP;
  depth[start] = 0;
  while (head < tail) {
    int cell = queue[head++];
    if (map->danger[cell] == 0 && (side < 0 || worth(map, cell, side))) return first[cell];
    for (move = MOVE_UP; move <= MOVE_RIGHT; move++) {
      int to = next(map, cell, move);
      if (to < 0 || depth[to] >= 0 || map->ground[to] != CELL_FREE || map->bomb[to]) continue;
      if (map->danger[to] == depth[cell] + 1) continue;
      first[to] = cell == start ? move : first[cell];
      depth[to] = depth[cell] + 1;
      queue[tail++] = to;
    }
  }
  return -1;
}

static int choose(const Map *map, const int32_t *bomber, int bomb_life) {
  int cell = bomber[BOMBER_ROW] * map->size + bomber[BOMBER_COLUMN], side = bomber[BOMBER_SIDE], move;
  if (map->danger[cell] == 0 && bomber[BOMBER_BOMBS] > 0 && worth(map, cell, side)) {
    Map after = *map;
    mark(&after, cell, bomb_life + 1);
    if (way(&after, cell, -1) > MOVE_STOP) return MOVE_BOMB;
  }
  move = map->danger[cell] > 0 ? -1 : way(map, cell, side);
  if (move < 0) move = way(map, cell, -1);
  return move < 0 ? MOVE_STOP : move;
}

void pommego_begin(const pommego_array *game) { (void)game; /* it remembers nothing */ }

void pommego_act(const pommego_array *observation, int32_t *action) {
  pommego_array own = pommego_find(observation, "own"), bombers = pommego_find(observation, "bombers");
  Map map;
  int i;
  read_map(&map, observation);
  for (i = 0; i < own.rows; i++) {
    const int32_t *bomber = bombers.values + own.values[i] * bombers.columns;
    if (bomber[BOMBER_LIVES] > 0) action[i] = choose(&map, bomber, pommego_number(observation, "bomb_life"));
  }
}

void pommego_end(const pommego_array *result) { (void)result; }
