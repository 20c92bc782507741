#include "core/distributed/process_group.h"

#include <gmock/gmock.h>
#include <torch/torch.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/distributed/detail/nccl_library.h"
#include "tests/core/distributed/ranks.h"

namespace kurve::distributed {
namespace {

using kurve::testing::bytesSent;
using kurve::testing::freePort;
using kurve::testing::joinAt;
using kurve::testing::Ranks;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<int> upTo(int size) {
    std::vector<int> ranks(static_cast<std::size_t>(size));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

std::string hex(const at::Tensor& tensor) {
    const auto* bytes = static_cast<const std::uint8_t*>(tensor.const_data_ptr());
    std::string text;
    for (std::size_t i = 0; i < tensor.nbytes(); ++i) text += fmt::format("{:02x}", bytes[i]);
    return text;
}

at::Tensor blockOf(int rank, std::int64_t numel = 100'003) {
    torch::manual_seed(static_cast<std::uint64_t>(rank));
    return at::randn({numel});
}

/// From the last to the first, as a backward pass goes.
std::vector<Shard> bucketsOf(std::int64_t numel) {
    std::vector<Shard> buckets;
    for (std::int64_t end = numel; end > 0; end -= buckets.back().count) {
        const std::int64_t first = std::max<std::int64_t>(0, end - 400'000);
        buckets.push_back({first, end - first});
    }
    return buckets;
}

// What each rank has after `work` with the group.
std::vector<std::string> computed(int size, const std::function<std::string(ProcessGroup&)>& work,
                                  std::vector<int> order = {}, double pause = 0, bool sharedMemory = true) {
    const std::uint16_t port = freePort();
    if (order.empty()) order = upTo(size);
    return Ranks(
               order,
               [&](int rank) {
                   auto group = joinAt(port, rank, size, 60, sharedMemory);
                   return group ? work(**group) : group.error().text();
               },
               pause)
        .texts();
}

// Who else may connect could order the ranks about.
TEST(ProcessGroup, OnOneMachineOnlyThatOneCanConnect) {
    std::vector<std::string> listening;
    JoinRequest request;
    request.environment = {0, 2, 0, kLoopback, 0};
    request.onListening = [&](std::uint16_t port) -> Status {
        const std::string end = fmt::format(":{:04X}", port);
        for (const char* file : {"/proc/net/tcp", "/proc/net/tcp6"}) {
            std::ifstream lines(file);
            for (std::string line; std::getline(lines, line);) {
                std::istringstream words(line);
                std::string number, local, remote, state;
                words >> number >> local >> remote >> state;
                if (state == "0A" && local.ends_with(end))
                    listening.push_back(local.substr(0, local.find(':')));
            }
        }
        return workError("test.seen", "seen");
    };
    EXPECT_EQ(ProcessGroup::join(request).error().code, "test.seen");
    EXPECT_THAT(listening, ElementsAre("0100007F"));
}

TEST(ProcessGroup, SumsToTheSameBitsOnAllRanksInEveryRun) {
    for (const int size : {2, 3}) {
        const auto sum = [](ProcessGroup& group) {
            const at::Tensor block = blockOf(group.rank());
            group.allReduce(block);
            at::Tensor whole = at::zeros_like(block, at::kDouble);
            for (int r = 0; r < group.size(); ++r) whole += blockOf(r);
            const double error = (block - whole).abs().max().item<double>();
            return error < 1e-5 ? hex(block.slice(0, 0, 2000)) : fmt::format("{} off", error);
        };
        const auto first = computed(size, sum), second = computed(size, sum);
        EXPECT_THAT(first, Each(first.front()));
        EXPECT_EQ(first, second);
        EXPECT_EQ(first.front().size(), 16'000u) << first.front().substr(0, 200);
    }
}

// More than a slot of the shared memory holds, and fewer than there are ranks.
TEST(ProcessGroup, GivesTheSameBitsThroughMemoryAndThroughTheNetwork) {
    for (const std::int64_t numel : {1'500'007, 5})
        for (const int size : {2, 3, 4}) {
            const auto work = [numel](ProcessGroup& group) {
                const at::Tensor block = blockOf(group.rank(), numel), sum = block.clone();
                group.reduceScatter(block);
                group.allGather(block);
                group.allReduce(sum);
                at::Tensor whole = at::zeros_like(block, at::kDouble);
                for (int r = 0; r < group.size(); ++r) whole += blockOf(r, numel);
                if (!at::equal(block, sum)) return std::string("sums in another order");
                for (const at::Tensor& found : {block, sum})
                    if (const double off = (found - whole).abs().max().item<double>(); off > 1e-5)
                        return fmt::format("{} off", off);
                at::Tensor last = blockOf(group.rank(), numel);
                group.broadcast(last, group.size() - 1);
                if (!at::equal(last, blockOf(group.size() - 1, numel))) return std::string("other values");
                const at::Tensor behind = blockOf(group.rank(), numel), scattered = behind.clone();
                for (const auto& [first, count] : bucketsOf(numel)) {  // whose owners are others
                    group.startAllReduce(behind.narrow(0, first, count));
                    group.startReduceScatter(scattered.narrow(0, first, count));
                }
                group.finishReductions();
                if (!at::equal(behind, sum)) return std::string("another sum behind the caller");
                for (const auto& [first, count] : shardsOf(bucketsOf(numel), group.rank(), group.size()))
                    if (!at::equal(scattered.narrow(0, first, count), sum.narrow(0, first, count)))
                        return std::string("another sum in the shard");
                for (const auto& [first, count] : bucketsOf(numel))
                    group.allGather(scattered.narrow(0, first, count));
                if (!at::equal(scattered, sum)) return std::string("other shards");
                return hex(block.slice(0, 0, 2000)) + hex(block.slice(0, numel - 2)) +
                       hex(sum.slice(0, 0, 2000));
            };
            const auto memory = computed(size, work), network = computed(size, work, {}, 0, false);
            EXPECT_GT(memory.front().size(), 60u) << memory.front();
            EXPECT_THAT(memory, Each(memory.front()));
            EXPECT_EQ(network, memory);
        }
}

// Everything but its own shards once, and for the whole sum its shards to each of the others.
TEST(ProcessGroup, SendsWhatTheShardsOfOthersNeed) {
    constexpr std::int64_t kNumel = 1'200'000;
    for (const int size : {2, 3}) {
        const auto work = [size](ProcessGroup& group) {
            const auto sentBy = [&](void (ProcessGroup::*start)(const at::Tensor&)) {
                const at::Tensor block = blockOf(group.rank(), kNumel);
                (void)group.allGather("");  // the others are there
                const std::uint64_t before = bytesSent();
                for (const auto& [first, count] : bucketsOf(kNumel))
                    (group.*start)(block.narrow(0, first, count));
                group.finishReductions();
                (void)group.allGather("");  // they have received it
                return static_cast<double>(bytesSent() - before);
            };
            std::int64_t own = 0;
            for (const auto& [first, count] : shardsOf(bucketsOf(kNumel), group.rank(), size)) own += count;
            const double of = sizeof(float), scattered = of * static_cast<double>(kNumel - own),
                         gathered = of * static_cast<double>(own * (size - 1));
            return fmt::format("{:.2f} {:.2f}", sentBy(&ProcessGroup::startReduceScatter) / scattered,
                               sentBy(&ProcessGroup::startAllReduce) / (scattered + gathered));
        };
        EXPECT_THAT(computed(size, work, {}, 0, false), Each("1.00 1.00"));
    }
}

TEST(ProcessGroup, OfOneRankSumsNothing) {
    for (const bool sharedMemory : {true, false}) {
        const auto group = joinAt(freePort(), 0, 1, 60, sharedMemory);
        ASSERT_TRUE(group) << group.error().text();
        const at::Tensor block = blockOf(0, 1000), before = block.clone();
        (*group)->allReduce(block);
        (*group)->reduceScatter(block);
        (*group)->allGather(block);
        (*group)->broadcast(block);
        (*group)->startAllReduce(block);
        (*group)->startReduceScatter(block);
        (*group)->finishReductions();
        EXPECT_TRUE(at::equal(block, before));
        EXPECT_THAT((*group)->allGather("text"), ElementsAre("text"));
    }
}

TEST(ProcessGroup, CarriesTextsOfAnyLength) {
    const auto lengths = [](ProcessGroup& group) {
        std::string all = fmt::format("{} here:", group.sizeHere());
        for (const std::size_t length : {0, 3'000'000, 5, 1024, 1025})
            for (const auto& text :
                 group.allGather(std::string(length + static_cast<std::size_t>(group.rank()), 'x')))
                all += fmt::format(" {}", text.size());
        return all;
    };
    for (const bool sharedMemory : {true, false})
        EXPECT_THAT(computed(2, lengths, {}, 0, sharedMemory),
                    Each("2 here: 0 1 3000000 3000001 5 6 1024 1025 1025 1026"));
}

TEST(ProcessGroup, KeepsNotANumberInASum) {
    const auto texts = computed(2, [](ProcessGroup& group) {
        at::Tensor block = at::zeros({3});
        if (group.rank() == 1) block[1] = std::nan("");
        group.allReduce(block);
        return fmt::format("{} {} {}", block[0].item<float>(), block[1].item<float>(),
                           block[2].item<float>());
    });
    EXPECT_THAT(texts, Each("0 nan 0"));
}

TEST(ProcessGroup, CarriesTextsInWhateverOrderTheRanksStart) {
    const auto work = [](ProcessGroup& group) {
        const auto all = group.allGather(std::string(static_cast<std::size_t>(group.rank()), 'x'));
        if (group.rank() == 0) group.announce("ready");
        group.awaitAnnouncement("ready");
        return group.broadcast(fmt::format("from {}", group.rank())) + "|" + all[0] + "|" + all[1] + "|" +
               all[2];
    };
    for (const auto& order : {std::vector{0, 1, 2}, {2, 1, 0}, {1, 0, 2}})
        EXPECT_THAT(computed(3, work, order, 0.3), Each("from 0||x|xx"));
}

TEST(ProcessGroup, NamesTheRankThatIsKilled) {
    for (const auto& [killed, sharedMemory] : {std::pair(0, true), {2, true}, {0, false}, {2, false}}) {
        const std::uint16_t port = freePort();
        Ranks ranks(upTo(3), [&, killed = killed, sharedMemory = sharedMemory](int rank) {
            auto group = joinAt(port, rank, 3, 60, sharedMemory);
            if (!group) return group.error().text();
            const at::Tensor block = at::ones({1000});
            try {
                for (int i = 0; i < 1'000'000; ++i) {
                    (*group)->allReduce(block.fill_(1));
                    if (rank == killed && i == 20) ::kill(::getpid(), SIGKILL);
                }
            } catch (const RankLost& lost) {
                return lost.error().code + " " + lost.what();
            }
            return std::string("nothing happened");
        });
        const std::string named = fmt::format("distributed.rank_lost rank {} (host ", killed);
        const std::string pid = fmt::format("pid {}) is lost", ranks.pid(killed));
        const auto texts = ranks.texts();
        for (int rank = 0; rank < 3; ++rank) {
            const std::string& text = texts[static_cast<std::size_t>(rank)];
            if (rank == killed) {
                EXPECT_EQ(text, "killed");
            } else {
                EXPECT_THAT(text, HasSubstr(named)) << rank;
                EXPECT_THAT(text, HasSubstr(pid)) << rank;
            }
        }
    }
}

TEST(ProcessGroup, NamesTheRankThatIsKilledDuringAReduction) {
    for (const bool sharedMemory : {true, false}) {
        const std::uint16_t port = freePort();
        Ranks ranks(upTo(2), [&](int rank) {
            auto group = joinAt(port, rank, 2, 60, sharedMemory);
            if (!group) return group.error().text();
            try {
                (void)(*group)->allGather("");  // both have joined
                if (rank == 1) ::kill(::getpid(), SIGKILL);
                (*group)->startAllReduce(at::ones({1000}));
                (*group)->startAllReduce(at::ones({1000}));
                (*group)->finishReductions();
            } catch (const RankLost& lost) {
                return std::string(lost.what());
            }
            return std::string("nothing happened");
        });
        const std::string pid = fmt::format("pid {}) is lost", ranks.pid(1));
        EXPECT_THAT(ranks.texts().front(), HasSubstr(pid));
    }
}

// What is under way waits for the others, who wait for this one.
TEST(ProcessGroup, EndsWhereOneLeavesDuringAReduction) {
    const auto texts = computed(
        2,
        [](ProcessGroup& group) {
            if (group.rank() == 1) {
                group.startAllReduce(at::ones({1000}));
                throw std::bad_alloc();
            }
            try {
                group.awaitAnnouncement("never");
            } catch (const RankLost& lost) {
                return std::string(lost.what());
            }
            return std::string("nothing happened");
        },
        {}, 0, false);
    EXPECT_THAT(texts.front(), HasSubstr("ended: it left in the middle of a step"));
}

TEST(ProcessGroup, SaysThatNcclIsMissing) {
    const auto library = detail::loadNccl("/nowhere/libkurve_nccl.so");
    ASSERT_FALSE(library);
    EXPECT_EQ(library.error().code, "distributed.nccl");
    EXPECT_THAT(library.error().text(),
                HasSubstr("cannot be loaded: /nowhere/libkurve_nccl.so: cannot open"));
    if (detail::loadNccl()) return;  // a build with CUDA, where it is
    JoinRequest request;
    request.environment = {0, 2, 0, kLoopback, 0};
    request.gpus = true;
    const auto joined = ProcessGroup::join(request);
    ASSERT_FALSE(joined);
    EXPECT_EQ(joined.error().code, "distributed.nccl");
}

TEST(ProcessGroup, SaysWhyARankEnded) {
    const auto texts = computed(3, [](ProcessGroup& group) {
        if (group.rank() == 2) {
            group.abort(workError("memory.full", "no memory is left"));
            return std::string("left");
        }
        try {
            group.allReduce(at::ones({10}));
        } catch (const RankLost& lost) {
            // It has the store, as a run that saves itself.
            if (group.rank() == 0) std::this_thread::sleep_for(std::chrono::seconds(2));
            return std::string(lost.what());
        }
        return std::string("nothing happened");
    });
    EXPECT_THAT(texts[0], HasSubstr("rank 2 (host "));
    EXPECT_THAT(texts[0], HasSubstr("ended: no memory is left"));
    EXPECT_EQ(texts[1], texts[0]);
}

TEST(ProcessGroup, NamesRanksThatDoNotCome) {
    const std::uint16_t port = freePort();
    const auto texts = Ranks({0, 1}, [&](int rank) {
                           const auto group = joinAt(port, rank, 4, 2);
                           return group ? "joined" : group.error().code + " " + group.error().text();
                       }).texts();
    EXPECT_THAT(texts[0], HasSubstr("distributed.unreachable ranks 2, 3 of 4 did not come within 2 s"));
    EXPECT_THAT(texts[1],
                ::testing::AnyOf(HasSubstr("ranks 2, 3 of 4"), HasSubstr("distributed.unreachable")));
}

TEST(ProcessGroup, SaysThatNobodyIsThereOrThePortIsTaken) {
    const auto nobody = joinAt(freePort(), 1, 2, 1);
    ASSERT_FALSE(nobody);
    EXPECT_EQ(nobody.error().code, "distributed.unreachable");
    EXPECT_THAT(nobody.error().text(), HasSubstr("rank 1 cannot reach rank 0 at 127.0.0.1:"));

    const std::uint16_t port = freePort();
    const auto texts = Ranks(
                           {0, 1},
                           [&](int rank) {  // two jobs at one port
                               const auto group = joinAt(port, 0, 2, rank == 0 ? 3 : 1);
                               return group ? "joined" : group.error().code;
                           },
                           0.5)
                           .texts();
    EXPECT_THAT(texts, ElementsAre("distributed.unreachable", "distributed.port"));
}

TEST(ProcessGroup, RefusesAnotherWorldSizeAndASecondProcessOfARank) {
    const std::uint16_t port = freePort();
    const auto texts = Ranks(
                           {0, 1, 2},
                           [&](int process) {
                               const int rank = process == 2 ? 1 : process;
                               const auto group = joinAt(port, rank, 2, 20);
                               if (group) (void)(*group)->allGather("");
                               // It has the store.
                               if (rank == 0) std::this_thread::sleep_for(std::chrono::seconds(1));
                               return group ? "joined" : group.error().text();
                           },
                           0.2)
                           .texts();
    EXPECT_EQ(texts[0], "joined");
    const std::string& refused = texts[1] == "joined" ? texts[2] : texts[1];
    EXPECT_THAT(refused, HasSubstr("another process is rank 1 at 127.0.0.1:"));

    const std::uint16_t second = freePort();
    const auto sizes = Ranks({0, 1}, [&](int rank) {
                           const auto group = joinAt(second, rank, rank == 0 ? 2 : 3, 20);
                           return group ? "joined" : group.error().text();
                       }).texts();
    EXPECT_THAT(sizes[0], HasSubstr("the world size is 2 at rank 0, 3 at rank 1"));
    EXPECT_THAT(sizes[1], HasSubstr("the world size is 2 at rank 0, 3 at rank 1"));
}

}  // namespace
}  // namespace kurve::distributed
