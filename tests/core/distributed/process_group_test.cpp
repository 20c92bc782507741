#include "core/distributed/process_group.h"

#include <gmock/gmock.h>
#include <torch/torch.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "tests/core/distributed/ranks.h"

namespace kurve::distributed {
namespace {

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

at::Tensor blockOf(int rank) {
    torch::manual_seed(static_cast<std::uint64_t>(rank));
    return at::randn({100'003});
}

// What each rank has after `work` with the group.
std::vector<std::string> computed(int size, const std::function<std::string(ProcessGroup&)>& work,
                                  std::vector<int> order = {}, double pause = 0) {
    const std::uint16_t port = freePort();
    if (order.empty()) order = upTo(size);
    return Ranks(
               order,
               [&](int rank) {
                   auto group = joinAt(port, rank, size);
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
    for (const int killed : {0, 2}) {
        const std::uint16_t port = freePort();
        Ranks ranks(upTo(3), [&](int rank) {
            auto group = joinAt(port, rank, 3);
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
