#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace kurve::distributed {

/// The same for all processes of a machine, until that is started again; empty: not known.
[[nodiscard]] std::string machineId();

/// Memory that the processes of one machine share: a slot for each rank, and a barrier. There are two sets of
/// slots in turn, so that one barrier an exchange is enough: a rank writes slot 2k while others still read
/// slot 2k - 1. Used from one thread of each rank.
class SharedSlots {
public:
    static constexpr std::size_t kSlotBytes = std::size_t{1} << 20;

    /// Of rank 0: an anonymous file, gone with the last of its processes. Null where the system gives none.
    static std::unique_ptr<SharedSlots> make(int size);
    /// How the others find it.
    [[nodiscard]] const std::string& address() const { return address_; }
    /// Null where `address` is another machine's, or another container's.
    static std::unique_ptr<SharedSlots> open(const std::string& address, int rank, int size);
    ~SharedSlots();
    SharedSlots(const SharedSlots&) = delete;
    SharedSlots& operator=(const SharedSlots&) = delete;

    /// To write before the next arrive(); aligned for every type.
    [[nodiscard]] std::byte* own() { return slot(turn_, rank_); }
    /// What a rank wrote before the last arrive(); until the next one.
    [[nodiscard]] std::byte* of(int rank) { return slot(turn_ ^ 1, rank); }
    /// Once for each exchange; then await() until it returns true: all have arrived.
    void arrive();
    [[nodiscard]] bool await(std::chrono::milliseconds limit);
    /// A rank whose process has ended.
    [[nodiscard]] std::optional<int> endedRank() const;
    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int size() const { return size_; }

private:
    struct Header;
    SharedSlots(int file, int rank, int size) : file_(file), rank_(rank), size_(size) {}
    [[nodiscard]] bool map();
    [[nodiscard]] bool sign();
    [[nodiscard]] std::size_t bytes() const;
    [[nodiscard]] std::byte* slot(unsigned turn, int rank) const;

    int file_, rank_, size_;
    std::string address_;
    Header* header_ = nullptr;
    unsigned turn_ = 0;
    std::uint32_t awaited_ = 0;  // the round that the last arrive() belongs to
};

}  // namespace kurve::distributed
