// A bot for BaseWar to start from, in C++, as a shared library.
//
// The bombers of a side share what they know of blasts to come, and each has a target of its own: the
// enemy's base, and in the first half of the game boxes. It plays a bomber or a whole side.
//
//     c++ -O2 -std=c++17 -shared -fPIC -o basewar_bot.so basewar_bot.cpp
//     pommego play --env BaseWarSides-v0 --agents library:./basewar_bot.so,simple --show
#include <functional>
#include <optional>
#include <queue>
#include <set>
#include <vector>

#include "pommego_agent.h"

namespace {

struct Cell {
  int row, column;
  bool operator<(const Cell &other) const { return row != other.row ? row < other.row : column < other.column; }
};

Cell moved(Cell cell, int move) {
  static const int down[] = {0, -1, 1, 0, 0}, right[] = {0, 0, 0, -1, 1};
  return {cell.row + down[move], cell.column + right[move]};
}

class Round {
 public:
  explicit Round(const pommego_array *observation)
      : board_(pommego_find(observation, "board")),
        range_(pommego_number(observation, "blast_range")),
        bomb_life_(pommego_number(observation, "bomb_life")),
        late_(2 * pommego_number(observation, "step_count") > pommego_number(observation, "max_steps")) {
    const pommego_array bombs = pommego_find(observation, "bombs");
    for (int i = 0; i < bombs.rows; i++) {
      const int32_t *bomb = bombs.values + i * bombs.columns;
      lies_.insert({bomb[BOMB_ROW], bomb[BOMB_COLUMN]});
    }
    // A bomb explodes with the first that reaches it, wherever that stands in the list.
    for (int life = 1; life <= bomb_life_ + 1; life++)
      for (int pass = 0; pass < bombs.rows; pass++)
        for (int i = 0; i < bombs.rows; i++) {
          const int32_t *bomb = bombs.values + i * bombs.columns;
          const Cell cell{bomb[BOMB_ROW], bomb[BOMB_COLUMN]};
          if (bomb[BOMB_LIFE] == life || danger(cell) == life) blast(cell, life);
        }
  }

  int choose(const int32_t *bomber) {
    const Cell cell{bomber[BOMBER_ROW], bomber[BOMBER_COLUMN]};
    const int side = bomber[BOMBER_SIDE];
    if (danger(cell) == 0 && bomber[BOMBER_BOMBS] > 0 && lies_.count(cell) == 0 && worth(cell, side)) {
      Round after = *this;
      after.blast(cell, bomb_life_ + 1);
      if (after.way(cell, [&](Cell at) { return after.danger(at) == 0; })) {
        *this = after; // the others know of the bomb
        lies_.insert(cell);
        return MOVE_BOMB;
      }
    }
    if (danger(cell) == 0)
      if (auto step = way(cell, [&](Cell at) { return danger(at) == 0 && worth(at, side) && claimed_.insert(at).second; }))
        return *step;
    return way(cell, [&](Cell at) { return danger(at) == 0; }).value_or(MOVE_STOP);
  }

 private:
  int ground(Cell cell) const {
    const bool inside = cell.row >= 0 && cell.row < board_.rows && cell.column >= 0 && cell.column < board_.columns;
    return inside ? board_.values[cell.row * board_.columns + cell.column] : static_cast<int>(CELL_STONE);
  }

  // The rounds until a blast reaches the cell; 0: none will.
  int danger(Cell cell) const {
    for (size_t life = 1; life < blasts_.size(); life++)
      if (blasts_[life].count(cell)) return static_cast<int>(life);
    return 0;
  }

  void blast(Cell bomb, int life) {
    if (blasts_.size() <= static_cast<size_t>(life)) blasts_.resize(life + 1);
    for (int move = MOVE_STOP; move <= MOVE_RIGHT; move++) {
      Cell cell = bomb;
      for (int steps = 0; steps <= range_ && ground(cell) == CELL_FREE; steps++, cell = moved(cell, move))
        blasts_[life].insert(cell);
    }
  }

  bool worth(Cell cell, int side) const {
    bool found = false;
    for (int move = MOVE_UP; move <= MOVE_RIGHT; move++) {
      Cell at = moved(cell, move);
      for (int steps = 1; steps < range_ && ground(at) == CELL_FREE; steps++) at = moved(at, move);
      if (ground(at) == CELL_BLUE_BASE + side) return false;
      found = found || (ground(at) == CELL_BOX && !late_) || ground(at) > CELL_BOX;
    }
    return found;
  }

  // The first move of the shortest way, which no blast meets, to a cell that will do.
  std::optional<int> way(Cell start, const std::function<bool(Cell)> &will_do) const {
    struct Step {
      Cell cell;
      int first, depth;
    };
    std::queue<Step> open;
    std::set<Cell> seen{start};
    open.push({start, MOVE_STOP, 0});
    for (; !open.empty(); open.pop()) {
      const Step at = open.front();
      if (will_do(at.cell)) return at.first;
      for (int move = MOVE_UP; move <= MOVE_RIGHT; move++) {
        const Cell to = moved(at.cell, move);
        const int depth = at.depth + 1;
        if (ground(to) != CELL_FREE || lies_.count(to) || danger(to) == depth || !seen.insert(to).second) continue;
        open.push({to, at.depth == 0 ? move : at.first, depth});
      }
    }
    return std::nullopt;
  }

  pommego_array board_;
  int range_, bomb_life_;
  bool late_;
  std::set<Cell> lies_, claimed_;
  std::vector<std::set<Cell>> blasts_;  // by the rounds until then
};

}  // namespace

void pommego_begin(const pommego_array *) {}

void pommego_act(const pommego_array *observation, int32_t *action) {
  const pommego_array own = pommego_find(observation, "own"), bombers = pommego_find(observation, "bombers");
  Round round(observation);
  for (int i = 0; i < own.rows; i++) {
    const int32_t *bomber = bombers.values + own.values[i] * bombers.columns;
    if (bomber[BOMBER_LIVES] > 0) action[i] = round.choose(bomber);
  }
}

void pommego_end(const pommego_array *) {}
