#include "core/distributed/shared_slots.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <limits>
#include <random>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/text.h"

namespace kurve::distributed {
namespace {

constexpr std::size_t kHeaderBytes = 4096;
constexpr double kSpinSeconds = 50e-6;  // about what it takes to sleep and be woken

// Not the ones of <atomic>: they wake the threads of one process only.
void sleepWhile(std::atomic<std::uint32_t>& round, std::uint32_t value, std::chrono::milliseconds limit) {
    const timespec time{limit.count() / 1000, (limit.count() % 1000) * 1'000'000};
    ::syscall(SYS_futex, &round, FUTEX_WAIT, value, &time, nullptr, 0);
}

void wakeAll(std::atomic<std::uint32_t>& round) {
    ::syscall(SYS_futex, &round, FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr, nullptr, 0);
}

struct flock byteOf(int rank) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = rank;
    lock.l_len = 1;
    return lock;
}

}  // namespace

std::string machineId() {
    const auto text = readFile("/proc/sys/kernel/random/boot_id");
    return text ? std::string(trim(*text)) : std::string();
}

/// At the beginning of the file.
struct SharedSlots::Header {
    char token[64];  // that an address of another machine is not taken for this one's
    std::atomic<std::uint32_t> round, arrived;
};

std::unique_ptr<SharedSlots> SharedSlots::make(int size) {
    const int file = ::memfd_create("kurve-ranks", MFD_CLOEXEC);
    if (file < 0) return nullptr;
    std::unique_ptr<SharedSlots> slots(new SharedSlots(file, 0, size));
    // Reserved now: memory that is not there would else be a signal in the middle of a step.
    if (::posix_fallocate(file, 0, static_cast<off_t>(slots->bytes())) != 0) return nullptr;
    if (!slots->map() || !slots->sign()) return nullptr;
    std::random_device random;
    const std::string token = fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
    std::memcpy(slots->header_->token, token.c_str(), token.size() + 1);
    slots->address_ = fmt::format("/proc/{}/fd/{} {} {}", ::getpid(), file, token, machineId());
    return slots;
}

std::unique_ptr<SharedSlots> SharedSlots::open(const std::string& address, int rank, int size) {
    const auto words = splitWords(address);
    if (words.size() != 3 || words[2] != machineId()) return nullptr;
    const int file = ::open(words[0].c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return nullptr;
    std::unique_ptr<SharedSlots> slots(new SharedSlots(file, rank, size));
    struct stat status {};
    const bool fits = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
                      static_cast<std::size_t>(status.st_size) == slots->bytes();
    if (!fits || !slots->map() || slots->header_->token != words[1] || !slots->sign()) return nullptr;
    return slots;
}

SharedSlots::~SharedSlots() {
    if (header_ != nullptr) ::munmap(header_, bytes());
    ::close(file_);
}

std::size_t SharedSlots::bytes() const {
    return kHeaderBytes + 2 * static_cast<std::size_t>(size_) * kSlotBytes;
}

std::byte* SharedSlots::slot(unsigned turn, int rank) const {
    const auto index =
        static_cast<std::size_t>(turn) * static_cast<std::size_t>(size_) + static_cast<std::size_t>(rank);
    return reinterpret_cast<std::byte*>(header_) + kHeaderBytes + index * kSlotBytes;
}

bool SharedSlots::map() {
    void* memory = ::mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    if (memory == MAP_FAILED) return false;
    header_ = static_cast<Header*>(memory);
    return true;
}

// A lock ends with its process, however that ends.
bool SharedSlots::sign() {
    struct flock lock = byteOf(rank_);
    return ::fcntl(file_, F_OFD_SETLK, &lock) == 0;
}

std::optional<int> SharedSlots::endedRank() const {
    for (int rank = 0; rank < size_; ++rank) {
        struct flock lock = byteOf(rank);
        if (rank != rank_ && ::fcntl(file_, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_UNLCK) return rank;
    }
    return std::nullopt;
}

void SharedSlots::arrive() {
    awaited_ = header_->round.load(std::memory_order_acquire);
    turn_ ^= 1;
    if (header_->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 < static_cast<std::uint32_t>(size_))
        return;
    header_->arrived.store(0, std::memory_order_relaxed);
    header_->round.fetch_add(1, std::memory_order_release);
    wakeAll(header_->round);
}

bool SharedSlots::await(std::chrono::milliseconds limit) {
    const auto passed = [&] { return header_->round.load(std::memory_order_acquire) != awaited_; };
    // No yield: on a busy machine that hands the core to others for a whole time slice.
    for (const double end = steadySeconds() + kSpinSeconds; steadySeconds() < end;)
        if (passed()) return true;
    sleepWhile(header_->round, awaited_, limit);
    return passed();
}

}  // namespace kurve::distributed
