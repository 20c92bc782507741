#pragma once

#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

namespace kurve::distributed::detail {

using StorePointer = c10::intrusive_ptr<c10d::Store>;

/// What the ranks tell each other through rank 0's store. Everything that reads or writes it throws where
/// rank 0 is gone.
inline constexpr const char *kBroken = "broken", *kFailure = "failure", *kLost = "lost";

/// The name of what belongs to a rank.
[[nodiscard]] std::string key(const char* what, int rank);
void put(c10d::Store& store, const std::string& name, const std::string& text);
/// Waits for it.
[[nodiscard]] std::string take(c10d::Store& store, const std::string& name);

/// 0 … size - 1 without `rank`.
[[nodiscard]] std::vector<int> allBut(int rank, int size);
/// "host H, pid P" of this process.
[[nodiscard]] std::string ownName();

}  // namespace kurve::distributed::detail
