// Several processes train what one trains.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "core/train/follower.h"
#include "core/train/rank_commands.h"
#include "core/train/tensor_histograms.h"
#include "core/train/trainer.h"
#include "tests/app/engine/engine_process.h"
#include "tests/core/distributed/ranks.h"
#include "tests/models/family_fixture.h"
#include "tests/models/unattended.h"
#include "tests/support/temporary_folder.h"

namespace kurve::models {
namespace {

using Group = std::shared_ptr<distributed::ProcessGroup>;

constexpr int kSteps = 6;
constexpr double kSameParts = 2e-5;  // sums in another order, in single precision
constexpr double kOtherParts =
    1e-3;  // and products of matrices of other sizes, whose differences grow by steps

/// What training leaves, as numbers that can be compared.
struct Trained {
    std::vector<float> weights, averaged;
    std::vector<double> losses;  ///< and their parts, and the losses of rows
};

void append(std::string& text, const void* bytes, std::size_t count) {
    text.append(reinterpret_cast<const char*>(&count), sizeof(count));
    text.append(static_cast<const char*>(bytes), count);
}

template <class T>
const char* take(const char* from, std::vector<T>& into) {
    std::size_t bytes = 0;
    std::memcpy(&bytes, from, sizeof(bytes));
    into.resize(bytes / sizeof(T));
    std::memcpy(into.data(), from + sizeof(bytes), bytes);
    return from + sizeof(bytes) + bytes;
}

std::string packed(const Trained& trained) {
    std::string text;
    append(text, trained.weights.data(), trained.weights.size() * sizeof(float));
    append(text, trained.averaged.data(), trained.averaged.size() * sizeof(float));
    append(text, trained.losses.data(), trained.losses.size() * sizeof(double));
    return text;
}

Trained unpacked(const std::string& text) {
    Trained trained;
    const char* next = take(text.data(), trained.weights);
    take(take(next, trained.averaged), trained.losses);
    return trained;
}

std::vector<float> numbers(const at::Tensor& block) {
    return {block.data_ptr<float>(), block.data_ptr<float>() + block.numel()};
}

/// Clipped, averaged, with two batches a step. Adam's eps is large: a gradient that is zero but for rounding
/// (biases of keys) would else become a step of the full learning rate.
Trained train(const std::string& family, const Group& maybeGroup, int replicas = 1) {
    at::set_num_threads(1);
    const RunConfig config =
        testing::toyConfig(family, testing::known(family, {{"model.dropout", "0.1"},
                                                           {"train.max_grad_norm", "0.5"},
                                                           {"train.ema_decay", "0.9"},
                                                           {"diffusion.step_sampler", "loss-aware"},
                                                           {"diffusion.step_buckets", "10"},
                                                           {"diffusion.step_history", "2"},
                                                           {"train.eps", "0.001"}}));
    std::vector<std::unique_ptr<train::SequenceModel>> models;
    for (int r = 0; r < replicas; ++r) models.push_back(testing::toyModel(config));
    train::Trainer trainer(std::move(models), config, at::kCPU, 1, maybeGroup);
    const text::Batch batch = testing::batchFor(family);
    Trained trained;
    for (int i = 0; i < kSteps; ++i) {
        const train::StepReport report = trainer.step({batch, batch}, 1e-3);
        trained.losses.push_back(report.loss.item<double>());
        trained.losses.push_back(report.gradientNorm.item<double>());
        trained.losses.push_back(static_cast<double>(report.targetTokens));
        for (const auto& [name, value] : report.parts) trained.losses.push_back(value.item<double>());
        for (const auto& [noise, loss] : report.noiseLoss)
            for (std::int64_t row = 0; row < loss.numel(); ++row)
                trained.losses.push_back(loss[row].item<double>());
    }
    trained.weights = numbers(trainer.parameters().values());
    trained.averaged = numbers(trainer.averaged());
    return trained;
}

/// Through the network gradients are summed during the backward pass.
std::vector<std::string> trainInRanks(const std::string& family, int size, bool sharedMemory) {
    const std::uint16_t port = kurve::testing::freePort();
    std::vector<int> ranks(static_cast<std::size_t>(size));
    std::iota(ranks.begin(), ranks.end(), 0);
    return kurve::testing::Ranks(ranks,
                                 [&](int rank) {
                                     const auto group =
                                         kurve::testing::joinAt(port, rank, size, 60, sharedMemory);
                                     return group ? packed(train(family, *group)) : group.error().text();
                                 })
        .texts();
}

template <class T>
double largestDifference(const std::vector<T>& a, const std::vector<T>& b) {
    if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        largest = std::max(largest, std::abs(static_cast<double>(a[i] - b[i])) /
                                        std::max(1.0, std::abs(static_cast<double>(b[i]))));
    return largest;
}

/// Family and number of processes.
class TrainedInRanks : public ::testing::TestWithParam<std::tuple<std::string, int>> {};

TEST_P(TrainedInRanks, IsWhatOneProcessTrains) {
    const auto& [family, size] = GetParam();
    const auto texts = trainInRanks(family, size, true), again = trainInRanks(family, size, true),
               during = trainInRanks(family, size, false);
    ASSERT_GT(texts.front().size(), 1000u) << texts.front();
    for (const std::string& text : texts) EXPECT_TRUE(text == texts.front()) << "the ranks differ";
    EXPECT_TRUE(again == texts) << "two runs differ";
    EXPECT_TRUE(during == texts) << "sums during the backward pass differ from sums after it";
    const Trained got = unpacked(texts.front());
    const auto expectNear = [&](const Trained& wanted, double tolerance) {
        EXPECT_LT(largestDifference(got.weights, wanted.weights), tolerance);
        EXPECT_LT(largestDifference(got.averaged, wanted.averaged), tolerance);
        EXPECT_LT(largestDifference(got.losses, wanted.losses), tolerance);
    };
    expectNear(train(family, nullptr, size), kSameParts);
    expectNear(train(family, nullptr), kOtherParts);
}

INSTANTIATE_TEST_SUITE_P(Families, TrainedInRanks,
                         ::testing::Combine(::testing::ValuesIn(testing::familyIds()),
                                            ::testing::Values(2, 3)),
                         [](const auto& info) {
                             return std::get<0>(info.param) + "_" + std::to_string(std::get<1>(info.param));
                         });

constexpr int kManySteps = 100;

/// Rank 0: weights, moments and average after many clipped steps of two batches, with groups of parameters
/// that differ, as text. The others, which obey it: how many numbers they hold of each.
std::string trainShared(const std::string& family, const Group& group, const std::string& sharded) {
    at::set_num_threads(1);
    const RunConfig config =
        testing::toyConfig(family, std::vector<Override>{{"train.max_grad_norm", "0.5"},
                                                         {"train.ema_decay", "0.9"},
                                                         {"train.parameter_groups", "*bias: lr 0.5, decay 0"},
                                                         {"train.shard_optimizer", sharded}});
    std::vector<std::unique_ptr<train::SequenceModel>> models;
    models.push_back(testing::toyModel(config));
    train::Trainer trainer(std::move(models), config, at::kCPU, 1, group);
    const text::Batch batch = testing::batchFor(family);
    trainer.shareState();
    if (group->rank() == 0) {
        Trained trained;
        for (int i = 0; i < kManySteps; ++i) {
            trained.losses.push_back(trainer.step({batch, batch}, 1e-3).gradientNorm.item<double>());
            if (trainer.nonFinite()) return "not finite";
        }
        const auto [mean, square] = trainer.wholeMoments();
        trained.weights = numbers(at::cat({trainer.parameters().values(), mean, square}));
        trained.averaged = numbers(trainer.wholeAverage());
        return packed(trained) + fmt::format(" {}", trainer.optimizer().mean().numel());
    }
    while (true) {
        const train::RankCommand command = train::receiveCommand(*group);
        if (command.buffers) trainer.receiveBuffers();
        switch (command.kind) {
            case train::RankCommand::Kind::GiveAverage:
                (void)trainer.wholeAverage();
                break;
            case train::RankCommand::Kind::GiveMoments:
                (void)trainer.wholeMoments();
                break;
            case train::RankCommand::Kind::End:
                return fmt::format("{} {} {}", trainer.optimizer().mean().nbytes() / sizeof(float),
                                   trainer.optimizer().square().nbytes() / sizeof(float),
                                   trainer.averaged().nbytes() / sizeof(float));
            default:
                trainer.step({batch, batch}, 1e-3);
        }
    }
}

class ShardedFamilies : public ::testing::TestWithParam<std::string> {};

// Through the network shards are summed during the backward pass.
TEST_P(ShardedFamilies, GivesTheSameBitsAndHoldsAPartOnEachRank) {
    const auto inRanks = [](int size, const std::string& sharded, bool sharedMemory) {
        const std::uint16_t port = kurve::testing::freePort();
        std::vector<int> ranks(static_cast<std::size_t>(size));
        std::iota(ranks.begin(), ranks.end(), 0);
        return kurve::testing::Ranks(
                   ranks,
                   [&](int rank) {
                       const auto group = kurve::testing::joinAt(port, rank, size, 60, sharedMemory);
                       return group ? trainShared(GetParam(), *group, sharded) : group.error().text();
                   })
            .texts();
    };
    for (const int size : {2, 3}) {
        const auto whole = inRanks(size, "false", true), sharded = inRanks(size, "true", true);
        const auto held = [](const std::string& text) { return std::stol(text.substr(text.rfind(' '))); };
        const auto trained = [](const std::string& text) { return text.substr(0, text.rfind(' ')); };
        ASSERT_GT(whole.front().size(), 1000u) << whole.front();
        EXPECT_TRUE(trained(sharded.front()) == trained(whole.front())) << size;
        EXPECT_TRUE(inRanks(size, "true", false) == sharded) << "through the network, in " << size;
        const long total = held(whole.front());
        const long most = total / size + 9 * 16;  // of at most nine buckets
        long sum = held(sharded.front());
        for (std::size_t rank = 1; rank < sharded.size(); ++rank) {
            const long own = held(sharded[rank]);
            EXPECT_EQ(sharded[rank], fmt::format("{} {} {}", own, own, own));
            EXPECT_EQ(whole[rank], fmt::format("{} {} {}", total, total, total));
            EXPECT_LE(own, most);
            sum += own;
        }
        EXPECT_LE(held(sharded.front()), most);
        EXPECT_EQ(sum, total);
    }
}

INSTANTIATE_TEST_SUITE_P(Families, ShardedFamilies, ::testing::Values("difformer", "lcm"),
                         [](const auto& info) { return info.param; });

/// The norm of the gradient after a step that clips it to 0.01, and its histograms by layer.
std::string clippedGradient(const Group& maybeGroup, const std::string& sharded) {
    const RunConfig config = testing::toyConfig(
        "difformer",
        std::vector<Override>{{"train.max_grad_norm", "0.01"}, {"train.shard_optimizer", sharded}});
    std::vector<std::unique_ptr<train::SequenceModel>> models;
    models.push_back(testing::toyModel(config));
    train::Trainer trainer(std::move(models), config, at::kCPU, 1, maybeGroup);
    trainer.keepGradients(true);
    const text::Batch batch = testing::batchFor("difformer");
    trainer.step({batch}, 1e-3);
    std::string text = fmt::format("{:.6f}", trainer.gradients().norm().item<double>());
    for (const auto& [group, bins] : train::magnitudeHistograms(trainer.parameters(), trainer.gradients()))
        text += "\n" + group + " " + bins.dump();
    return text;
}

TEST(ShardedOptimizer, HistogramsAreOfTheWholeClippedGradient) {
    for (const int size : {2, 3}) {
        const auto inRanks = [size](const std::string& sharded) {
            const std::uint16_t port = kurve::testing::freePort();
            std::vector<int> ranks(static_cast<std::size_t>(size));
            std::iota(ranks.begin(), ranks.end(), 0);
            return kurve::testing::Ranks(ranks,
                                         [&](int rank) {
                                             const auto group = kurve::testing::joinAt(port, rank, size);
                                             return group ? clippedGradient(*group, sharded)
                                                          : group.error().text();
                                         })
                .texts();
        };
        const auto sharded = inRanks("true"), whole = inRanks("false");
        EXPECT_THAT(whole, ::testing::Each(::testing::StartsWith("0.010000\n")));
        EXPECT_EQ(sharded, whole);
    }
}

constexpr std::int64_t kBookUpdates = 3;

/// Two codebooks of 512 vectors, learnt in the first steps. Rank 0: how many bytes it sends in each step
/// beside those of the last one, and the codebooks; the other one: its codebooks.
std::string sentWithCodebooks(const Group& group) {
    at::set_num_threads(1);
    const RunConfig config =
        testing::toyConfig("lcm", std::vector<Override>{{"model.kind", "quant-d"},
                                                        {"quantizer.books", "2"},
                                                        {"quantizer.centroids", "512"},
                                                        {"quantizer.updates", std::to_string(kBookUpdates)}});
    std::vector<std::unique_ptr<train::SequenceModel>> models;
    models.push_back(testing::toyModel(config));
    train::Trainer trainer(std::move(models), config, at::kCPU, 1, group);
    const at::Tensor books = trainer.model().module().named_buffers()["quantizer.codebooks"];
    const text::Batch batch = testing::batchFor("lcm");
    trainer.shareState();
    std::vector<double> sent;
    for (std::int64_t step = 0; step < kBookUpdates + 3; ++step) {
        (void)group->allGather("");  // the others have received what was sent
        const std::uint64_t before = kurve::testing::bytesSent();
        if (group->rank() > 0 && train::receiveCommand(*group).buffers) trainer.receiveBuffers();
        trainer.step({batch}, 1e-3);
        (void)group->allGather("");
        sent.push_back(static_cast<double>(kurve::testing::bytesSent() - before));
    }
    std::string text;
    append(text, books.data_ptr<float>(), books.nbytes());
    // Beside the codebooks the sums that they come from are as large, and the numbers of vectors.
    const double tables = static_cast<double>(2 * books.nbytes() + 2 * 512 * sizeof(float));
    if (group->rank() > 0) {
        (void)train::receiveCommand(*group);  // that it ends
        return text;
    }
    std::string tablesSent;
    for (const double bytes : sent)
        tablesSent += fmt::format("{:.1f} ", std::abs(bytes - sent.back()) / tables);
    return tablesSent + text;
}

TEST(CodebooksInRanks, AreSentWhileTheyChange) {
    const std::uint16_t port = kurve::testing::freePort();
    const auto texts = kurve::testing::Ranks({0, 1}, [&](int rank) {
                           const auto group =
                               kurve::testing::joinAt(port, rank, 2, 60, /*sharedMemory=*/false);
                           return group ? sentWithCodebooks(*group) : group.error().text();
                       }).texts();
    // The first step's batch finds what shareState() has sent; after the last update they are sent once more.
    const std::string sent = "0.0 1.0 1.0 1.0 0.0 0.0 ";
    ASSERT_EQ(texts[0].substr(0, sent.size()), sent);
    EXPECT_GT(texts[1].size(), 1000U) << texts[1];
    EXPECT_TRUE(texts[0].substr(sent.size()) == texts[1]) << "other codebooks";
}

/// Everything of a model that a checkpoint holds beside its parameters, as text.
std::string keptByLosses(train::SequenceModel& model) {
    std::string text;
    for (const auto& buffer : model.module().named_buffers()) {
        const at::Tensor values = buffer.value().to(at::kDouble).contiguous();
        append(text, values.data_ptr<double>(), static_cast<std::size_t>(values.nbytes()));
    }
    for (const auto& [name, value] : model.history()) text += fmt::format("{} {:a}\n", name, value);
    return text;
}

/// Of rank 0, whose only other rank leaves after the first step: what the second one has changed.
std::string changedByALostStep(const std::string& family, const Group& group) {
    std::vector<Override> settings =
        testing::known(family, {{"diffusion.step_sampler", "loss-aware"}, {"diffusion.step_history", "2"}});
    if (family == "lcm") settings.emplace_back("model.kind", "quant-d");  // has codebooks
    const RunConfig config = testing::toyConfig(family, settings);
    std::vector<std::unique_ptr<train::SequenceModel>> models;
    models.push_back(testing::toyModel(config));
    train::Trainer trainer(std::move(models), config, at::kCPU, 1, group);
    const text::Batch batch = testing::batchFor(family);
    trainer.step({batch}, 1e-3);
    if (group->rank() == 0) group->announce("first step");
    if (group->rank() > 0) {
        group->awaitAnnouncement("first step");
        group->abort(workError("test.left", "left"));
        return "";
    }
    const std::string before = keptByLosses(trainer.model());
    const at::Tensor weights = trainer.parameters().values().clone();
    try {
        trainer.step({batch}, 1e-3);
    } catch (const distributed::RankLost&) {
        if (trainer.steps() != 1) return "the number of steps";
        if (!at::equal(weights, trainer.parameters().values())) return "weights";
        return keptByLosses(trainer.model()) == before ? "nothing" : "buffers or history";
    }
    return "no rank was lost";
}

TEST(UnlikeRanks, AreNamedWithWhatDiffers) {
    const std::uint16_t port = kurve::testing::freePort();
    const auto texts = kurve::testing::Ranks({0, 1}, [&](int rank) {
                           const auto group = kurve::testing::joinAt(port, rank, 2);
                           if (!group) return group.error().text();
                           const c10::Device own = rank == 0 ? c10::kCUDA : c10::kCPU;
                           const Status kind = train::checkSameExperiment(**group, {"e", "d", own, 1}),
                                        count = train::checkSameExperiment(
                                            **group, {"e", "d", c10::kCPU, rank == 0 ? 1 : 4});
                           return kind.error().text() + count.error().text();
                       }).texts();
    for (const std::string& text : texts) {
        EXPECT_THAT(text, ::testing::HasSubstr("rank 1 has another device than rank 0: cpu, not cuda"));
        EXPECT_THAT(text,
                    ::testing::HasSubstr("rank 1 has another number of replicas than rank 0: 4, not 1"));
    }
}

class LostRank : public ::testing::TestWithParam<std::string> {};

TEST_P(LostRank, LeavesNothingOfItsStep) {
    const std::uint16_t port = kurve::testing::freePort();
    const auto texts = kurve::testing::Ranks({0, 1}, [&](int rank) {
                           const auto group = kurve::testing::joinAt(port, rank, 2);
                           return group ? changedByALostStep(GetParam(), *group) : group.error().text();
                       }).texts();
    EXPECT_EQ(texts.front(), "nothing");
}

INSTANTIATE_TEST_SUITE_P(Families, LostRank, ::testing::ValuesIn(testing::familyIds()),
                         [](const auto& info) { return info.param; });

/// A family whose third backward pass runs out of memory.
class OutOfMemory : public train::ModelFamily {
public:
    [[nodiscard]] Schema ownSchema() const override { return whole().ownSchema(); }
    [[nodiscard]] Result<std::unique_ptr<train::SequenceModel>> create(
        const RunConfig& config, const train::ModelContext& context) const override {
        KURVE_TRY(auto model, whole().create(config, context));
        model->module().parameters().front().register_hook(
            [passes = std::make_shared<int>(0)](const at::Tensor& gradient) {
                if (++*passes == 3) throw std::bad_alloc();
                return gradient;
            });
        return model;
    }
    static const train::ModelFamily& whole() { return *findFamily("difformer"); }
};

/// How the training ended for this rank.
std::string trainUntilOutOfMemory(const std::filesystem::path& project, const Group& group) {
    const OutOfMemory failing;
    const bool leads = group->rank() == 0;
    train::SessionRequest request;
    request.family = leads ? &failing : &OutOfMemory::whole();
    request.config = *RunConfig::load((project / "experiments/small.toml").string(), schemaLookup(),
                                      std::vector<Override>{{"train.cpu_replicas", "1"}});
    request.project = project;
    request.runFolder = project / "runs/a";
    request.runId = request.name = "a";
    request.maybeGroup = group;
    request.force = true;
    if (!leads) {
        const Status followed = train::followTraining(request);
        return followed ? "no error" : followed.error().text();
    }
    testing::Unattended link;
    auto session = train::TrainingSession::begin(request, link);
    if (!session) return session.error().text();
    const auto result = (*session)->run();
    return result ? fmt::format("{} after {} steps: {}", result->state, result->steps, result->reason)
                  : result.error().text();
}

TEST(FailingRanks, AnErrorOfRankZeroInsideAStepEndsAll) {
    for (const bool sharedMemory : {true, false}) {
        const kurve::testing::TemporaryFolder project;
        kurve::testing::makeSmallProject(project.path());
        const std::uint16_t port = kurve::testing::freePort();
        const auto texts =
            kurve::testing::Ranks({0, 1, 2}, [&](int rank) {
                const auto group = kurve::testing::joinAt(port, rank, 3, 60, sharedMemory);
                return group ? trainUntilOutOfMemory(project.path(), *group) : group.error().text();
            }).texts();
        EXPECT_THAT(texts[0], ::testing::StartsWith("failed after 2 steps: std::bad_alloc"));
        for (const std::size_t rank : {1U, 2U}) {
            EXPECT_THAT(texts[rank], ::testing::HasSubstr("rank 0 ("));
            EXPECT_THAT(texts[rank], ::testing::HasSubstr("ended: std::bad_alloc"));
        }
    }
}

}  // namespace
}  // namespace kurve::models
