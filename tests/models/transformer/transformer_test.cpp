#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

#include "core/diffusion/fused_linear_cross_entropy.h"
#include "core/text/trained_specials.h"
#include "core/train/likelihood.h"
#include "core/train/trainer.h"
#include "models/common/decoding.h"
#include "models/transformer/beam_search.h"
#include "models/transformer/transformer_model.h"
#include "tests/models/family_fixture.h"
#include "tests/models/transformer/plain_beam.h"

namespace kurve::models::transformer {
namespace {

std::int64_t parameterCount(const std::string& preset, std::int64_t vocabulary) {
    const auto config = RunConfig::parse("family = \"transformer\"\npreset = \"" + preset + "\"\n",
                                         "paper.toml", schemaLookup());
    EXPECT_TRUE(config) << config.error().text();
    const TransformerNet net(
        *config, train::TextShape{vocabulary, vocabulary, true, 1024, true, text::kTrainedSpecials});
    std::int64_t count = 0;
    for (const auto& parameter : net->parameters()) count += parameter.numel();
    return count;
}

TEST(TransformerSizes, HaveThePapersParameterCounts) {
    // An encoder layer of base has 3,152,384 parameters, a decoder layer 4,204,032.
    EXPECT_EQ(parameterCount("base", 1000), 6 * (3152384 + 4204032) + 512 * 1000);
    const std::int64_t d = 1024, f = 4096, attention = 4 * d * d + 4 * d, ffn = 2 * d * f + f + d;
    EXPECT_EQ(parameterCount("big", 100),
              6 * (attention + ffn + 4 * d) + 6 * (2 * attention + ffn + 6 * d) + d * 100);
}

TEST(TransformerInit, FollowsTheSpec) {
    const auto config =
        RunConfig::parse("family = \"transformer\"\npreset = \"base\"\n", "b.toml", schemaLookup());
    const auto made = findFamily("transformer")
                          ->create(*config, {{500, 500, true, 64, true, text::kTrainedSpecials}, at::kCPU});
    ASSERT_TRUE(made);
    const auto parameters = (*made)->module().named_parameters();
    EXPECT_NEAR(parameters["embedding.weight"].std().item<double>(), 1 / std::sqrt(512.0), 1e-3);
    EXPECT_EQ(parameters["embedding.weight"][text::kPad].abs().sum().item<double>(), 0);
    const double xavier = std::sqrt(6.0 / 1024);
    for (const char* name : {"encoder_layer_0.attention.qkv.weight", "decoder_layer_5.attention.qkv.weight",
                             "decoder_layer_0.cross.key_value.weight", "decoder_layer_0.cross.query.weight"})
        EXPECT_NEAR(parameters[name].abs().max().item<double>(), xavier / std::sqrt(2.0), 1e-4) << name;
    EXPECT_NEAR(parameters["decoder_layer_0.cross.out.weight"].abs().max().item<double>(), xavier, 1e-4);
    const auto tiny = testing::toyModel(toy())->module().named_parameters();
    EXPECT_TRUE(at::equal(tiny["decoder_layer_0.cross.query.weight"], at::eye(32)));
    EXPECT_TRUE(at::equal(tiny["decoder_layer_1.cross.key_value.weight"].narrow(0, 0, 32), at::eye(32)));
}

TEST(TransformerInput, PositionsAreFairseqsSinusoid) {
    torch::nn::Module owner;
    PositionalEmbedding positions(owner, "p", {PositionKind::Sinusoid, 6, 8});
    const at::Tensor rows = positions.rows(1, 2, at::zeros({1}, at::kDouble));
    for (int j = 0; j < 4; ++j) {
        const double angle = 3 * std::pow(1e4, -j / 3.0);  // the second symbol is row 3
        EXPECT_NEAR(rows[0][j].item<double>(), std::sin(angle), 1e-12);
        EXPECT_NEAR(rows[0][4 + j].item<double>(), std::cos(angle), 1e-12);
    }
    EXPECT_TRUE(owner.parameters().empty());
}

TEST(TransformerInput, TheSourcesBosIsReadOnlyIfSet) {
    for (const char* flag : {"false", "true"}) {
        const RunConfig config = toy({{"model.source_bos", flag}});
        const auto model = testing::toyModel(config);
        text::Batch batch = testing::toyBatch();
        const auto loss = [&] { return model->loss(train::toDevice(batch, at::kCPU), {1, 0, 0}).total; };
        const at::Tensor before = loss();
        for (int r = 0; r < batch.rows; ++r)
            batch.source[static_cast<std::size_t>(r * batch.sourceLength)] = 7;
        EXPECT_EQ(at::equal(loss(), before), std::string(flag) == "false");
    }
}

TEST(TransformerLoss, SmoothsLikeTheOracle) {
    const at::Tensor logits = at::tensor({2.0, 1.0, 0.0, -1.0, 0.5, 0.5, 0.5, 3.0}, at::kDouble).view({2, 4}),
                     table = at::eye(4, at::kDouble), targets = at::tensor({0, 2}, at::kLong);
    const diffusion::TokenNll token =
        diffusion::fusedLinearCrossEntropy(logits, table, table.index_select(0, targets));
    EXPECT_NEAR(token.nll.mean().item<double>(), 1.58016637, 1e-8);
    EXPECT_NEAR((token.nll * 0.9 + token.smooth * 0.1).mean().item<double>(), 1.62391637, 1e-8);
}

TEST(TransformerLoss, IsTheMeanOverTheTokensAfterBos) {
    const auto model = testing::toyModel(toy());
    const text::Batch host = testing::toyBatch();
    const train::DeviceBatch batch = train::toDevice(host, at::kCPU);
    const train::LossReport report = model->loss(batch, {1, 0, 0});
    EXPECT_EQ(report.rowTokens.sum().item<double>(), static_cast<double>(batch.targetTokens - batch.rows));
    train::LikelihoodRequest request;
    request.sources = request.targets = testing::toySources();
    for (auto& target : request.targets) std::reverse(target.begin() + 1, target.end() - 1);
    const auto scored = model->likelihood()->score(request);
    ASSERT_TRUE(scored);
    double sum = 0, tokens = 0;
    for (std::size_t r = 0; r < 8; ++r) {
        EXPECT_EQ(scored->logProbability[r].size(), request.targets[r].size() - 1);
        for (const double p : scored->logProbability[r]) sum -= p, ++tokens;
    }
    EXPECT_NEAR(report.parts.at("nll").item<double>(), sum / tokens, 1e-5);
}

// A pooled state does not depend on the texts beside it, and is computed only on request.
TEST(TransformerLikelihood, APooledStateIsThePairsOwn) {
    const auto model = testing::toyModel(toy());
    train::LikelihoodRequest request;
    request.sources = request.targets = testing::toySources();
    EXPECT_TRUE(model->likelihood()->score(request)->pooledState.empty());
    request.states = true;
    const auto together = model->likelihood()->score(request);
    ASSERT_TRUE(together);
    ASSERT_EQ(together->pooledState.size(), 8U);
    for (std::size_t r = 0; r < 8; ++r) {
        const auto alone = model->likelihood()->score({{request.sources[r]}, {request.targets[r]}, {}, true});
        ASSERT_TRUE(alone);
        const auto &one = alone->pooledState[0], &among = together->pooledState[r];
        ASSERT_EQ(one.size(), among.size());
        ASSERT_FALSE(one.empty());
        double squares = 0;
        for (std::size_t i = 0; i < one.size(); ++i) {
            EXPECT_NEAR(one[i], among[i], 1e-5);
            squares += one[i] * one[i];
        }
        EXPECT_GT(squares, 0);
    }
    EXPECT_NE(together->pooledState[0], together->pooledState[1]);
}

// Lengths differ, so that the mean of the parts' means is not the mean.
TEST(TransformerLoss, ASplitStepIsTheWholeStep) {
    const RunConfig config =
        testing::toyConfig("transformer", {{"model.dropout", "0.1"}, {"train.max_grad_norm", "0"}});
    const auto stepOf = [&](int replicas) {
        std::vector<std::unique_ptr<train::SequenceModel>> models;
        for (int r = 0; r < replicas; ++r) models.push_back(testing::toyModel(config));
        train::Trainer trainer(std::move(models), config, at::kCPU);
        const train::StepReport report = trainer.step({testing::toyBatch(5), testing::toyBatch(8)}, 0);
        return std::make_pair(trainer.gradients().clone(), report);
    };
    const auto [whole, wholeReport] = stepOf(1);
    const auto [split, splitReport] = stepOf(3);
    EXPECT_NEAR(wholeReport.loss.item<double>(), splitReport.loss.item<double>(), 5e-6);
    EXPECT_NEAR(wholeReport.parts.at("nll").item<double>(), splitReport.parts.at("nll").item<double>(), 5e-6);
    EXPECT_LE((whole - split).abs().max().item<double>(), 5e-6);
    EXPECT_GT(whole.abs().max().item<double>(), 1e-3);
}

/// All tokens of a text, fed one by one with a cache and all at once.
std::pair<at::Tensor, at::Tensor> bothWays(TransformerNetImpl& net, std::int64_t length) {
    const torch::NoGradGuard noGrad;
    const std::vector<std::size_t> which{0, 1, 2, 3};
    const auto [source, lengths] = padRows(testing::toySources(), which, at::kCPU, {text::kPad, 1});
    const CrossAttentionCache crossCache = net.encode(source, lengths, {});
    const at::Tensor previous =
        (at::arange(4 * length).view({4, length}) * 5) % 20 + text::kFirstRegularToken;
    DecodingCache cache = net.newCache(4);
    std::vector<at::Tensor> steps;
    for (std::int64_t i = 0; i < length; ++i)
        steps.push_back(net.extend(previous.select(1, i).contiguous(), crossCache, cache));
    const std::vector<std::int32_t> all(4, static_cast<std::int32_t>(length));
    return {at::stack(steps, 1), net.decode(previous, crossCache, all, {})};
}

TEST(TransformerCache, EqualsTheWholePass) {
    const auto model = testing::toyModel(toy());
    TransformerNetImpl& net = netOf(*model);
    net.eval();
    const auto [cached, whole] = bothWays(net, 20);  // longer than the cache's first block
    EXPECT_LT((cached - whole).abs().max().item<double>(), 1e-5);
    net.to(at::kDouble);
    const auto [cached64, whole64] = bothWays(net, 20);
    // Not the same bits: a sum over 20 keys, some of them masked, adds in another order than one over fewer.
    EXPECT_LT((cached64 - whole64).abs().max().item<double>(), 1e-14);
}

// Not to the bit: a matrix product may round a row differently at another row of the batch (MKL on AMD
// does).
TEST(TransformerCache, SelectedRowsEqualRowsComputedAnew) {
    const auto model = testing::toyModel(toy());
    TransformerNetImpl& net = netOf(*model);
    net.eval();
    const torch::NoGradGuard noGrad;
    for (const auto type : {at::kFloat, at::kDouble}) {
        net.to(type);
        const std::vector<std::size_t> which{3};
        const auto [source, lengths] = padRows(testing::toySources(), which, at::kCPU, {text::kPad, 1});
        const CrossAttentionCache crossCache = net.encode(source, lengths, {});
        at::Tensor text = (at::arange(4 * 17).view({4, 17}) * 7) % 20 + text::kFirstRegularToken;
        DecodingCache cache = net.newCache(4);
        for (std::int64_t i = 0; i < 17; ++i)
            (void)net.extend(text.select(1, i).contiguous(), crossCache, cache);
        const at::Tensor chosen = at::tensor({2, 0, 0, 3}, at::kLong);
        cache.select(chosen);
        const at::Tensor next = at::tensor({5, 6, 7, 8}, at::kLong),
                         state = net.extend(next, crossCache, cache);
        text = text.index_select(0, chosen);
        DecodingCache fresh = net.newCache(4);
        for (std::int64_t i = 0; i < 17; ++i)
            (void)net.extend(text.select(1, i).contiguous(), crossCache, fresh);
        const double close = type == at::kFloat ? 1e-5 : 1e-13;
        EXPECT_TRUE(at::allclose(net.extend(next, crossCache, fresh), state, close, close));
        EXPECT_EQ(cache.length(), 18);
    }
}

TEST(TransformerBeam, EqualsThePlainSearch) {
    for (const char* beam : {"1", "3", "5"})
        for (const char* lambda : {"0", "1"}) {
            const RunConfig config = toy(
                {{"sampler.beam", beam}, {"sampler.length_penalty", lambda}, {"sampler.max_length_b", "12"}});
            const auto model = confidentModel(config);
            const train::Generation all = generated(*model, config);
            for (std::size_t r = 0; r < 8; ++r) {
                const auto expected =
                    plainBeam(netOf(*model), testing::toySources()[r],
                              static_cast<std::size_t>(std::stoi(beam)), 12, std::stod(lambda));
                ASSERT_EQ(all.rows[r].candidates.size(), expected.size());
                for (std::size_t c = 0; c < expected.size(); ++c) {
                    EXPECT_EQ(all.rows[r].candidates[c].ids, expected[c].ids) << beam << ' ' << r << ' ' << c;
                    EXPECT_NEAR(all.rows[r].candidates[c].score, expected[c].score, 1e-4);
                }
            }
        }
}

TEST(TransformerBeam, OfOneIsTheMostProbableTokenEveryTime) {
    const RunConfig config = toy({{"sampler.beam", "1"}, {"sampler.max_length_b", "12"}});
    const auto model = confidentModel(config);
    TransformerNetImpl& net = netOf(*model);
    const torch::NoGradGuard noGrad;
    const train::Generation all = generated(*model, config);
    const std::vector<std::size_t> first{0};
    for (std::size_t r = 0; r < 8; ++r) {
        const auto [source, lengths] = padRows({testing::toySources()[r]}, first, at::kCPU, {text::kPad, 1});
        const CrossAttentionCache crossCache = net.encode(source, lengths, {});
        std::vector<std::int64_t> text{text::kEos};
        while (text.size() <= 12) {
            const std::vector<std::int32_t> length{static_cast<std::int32_t>(text.size())};
            at::Tensor logits =
                net.logits(net.decode(at::tensor(text).unsqueeze(0), crossCache, length, {})[0][-1]);
            for (const auto never : {text::kBos, text::kPad, text::kMask}) logits[never] = -1e9;
            if (text.size() == 1) logits[text::kEos] = -1e9;
            text.push_back(logits.argmax().item<std::int64_t>());
            if (text.back() == text::kEos) break;
        }
        Ids expected(text.begin() + 1, text.end());
        if (!expected.empty() && expected.back() == text::kEos) expected.pop_back();
        EXPECT_EQ(all.rows[r].best.ids, expected);
    }
}

TEST(TransformerBeam, WideEnoughIsTheExhaustiveSearch) {
    // Seven ids, of which <unk> and two others can be generated: 3 + 9 + 27 texts of at most three tokens.
    const RunConfig config = toy({{"sampler.beam", "64"}, {"sampler.max_length_b", "3"}});
    const auto model = confidentModel(config, text::kFirstRegularToken + 2);
    const std::vector<Ids> sources{{text::kBos, 5, 6, 6, text::kEos}, {text::kBos, 6, 5, text::kEos}};
    const train::Generation all = generated(*model, config, sources);
    std::vector<Ids> texts{{}};
    for (std::size_t from = 0, length = 0; length < 3; ++length)
        for (const std::size_t end = texts.size(); from < end; ++from)
            for (const std::int32_t token : {text::kUnk, 5, 6}) {
                texts.push_back(texts[from]);
                texts.back().push_back(token);
            }
    texts.erase(texts.begin());
    ASSERT_EQ(texts.size(), 39u);
    for (std::size_t r = 0; r < sources.size(); ++r) {
        train::LikelihoodRequest request;
        for (const Ids& text : texts) {
            request.sources.push_back(sources[r]);
            request.targets.push_back(text);
            request.targets.back().insert(request.targets.back().begin(), text::kBos);
            request.targets.back().push_back(text::kEos);
        }
        const auto scored = model->likelihood()->score(request);
        ASSERT_TRUE(scored);
        std::map<Ids, double> expected;
        for (std::size_t i = 0; i < texts.size(); ++i) {
            double sum = 0;
            for (const double p : scored->logProbability[i]) sum += p;
            expected[texts[i]] = sum / static_cast<double>(texts[i].size() + 1);
        }
        const auto& found = all.rows[r].candidates;
        ASSERT_EQ(found.size(), 39u);
        for (std::size_t c = 0; c < found.size(); ++c) {
            EXPECT_NEAR(found[c].score, expected.at(found[c].ids), 1e-4);
            if (c > 0) EXPECT_GE(found[c - 1].score, found[c].score);
        }
    }
}

TEST(BeamSearch, NormalisesByLengthLikeTheOracle) {
    const auto scores = [](double lambda) {
        BeamSearch search({2, lambda, 100, true, text::kEos});
        for (int step = 0; step < 4; ++step) search.advance(std::vector<Continuation>{{0, 9, -0.5 * step}});
        search.advance(std::vector<Continuation>{{0, text::kEos, -4.0}, {0, 9, -4.1}});
        search.advance(std::vector<Continuation>{{0, text::kEos, -4.6}});
        EXPECT_TRUE(search.done());
        std::vector<std::pair<std::size_t, double>> all;
        for (const Hypothesis& text : search.finished()) all.emplace_back(text.ids.size() + 1, text.score);
        return all;
    };
    const auto flat = scores(0), middle = scores(0.6), full = scores(1);
    EXPECT_EQ(flat.front().first, 5u);
    EXPECT_EQ(middle.front().first, 5u);
    EXPECT_NEAR(middle.front().second, -1.52292315, 1e-8);
    EXPECT_NEAR(middle.back().second, -1.56988226, 1e-8);
    EXPECT_EQ(full.front().first, 6u);
    EXPECT_NEAR(full.front().second, -0.76666667, 1e-8);
    EXPECT_NEAR(full.back().second, -0.8, 1e-8);
}

TEST(BeamSearch, AnEndBelowTheBeamIsDroppedAndReplaced) {
    BeamSearch search({2, 1, 100, true, text::kEos});
    search.advance(std::vector<Continuation>{{0, 7, -1}, {0, 8, -2}, {0, text::kEos, -3}, {0, 9, -4}});
    EXPECT_TRUE(search.finished().empty());  // rank 2 of a beam of 2
    EXPECT_EQ(search.tokens(), (Ids{7, 8}));
    search.advance(std::vector<Continuation>{{1, text::kEos, -2.5}, {0, 9, -3}, {1, 10, -3.5}, {0, 11, -4}});
    EXPECT_EQ(search.finished().size(), 1u);
    EXPECT_EQ(search.finished().front().ids, (Ids{8}));
    EXPECT_EQ(search.tokens(), (Ids{9, 10}));
    EXPECT_EQ(search.parents(), (std::vector<std::int64_t>{0, 1}));
    EXPECT_FALSE(search.done());
}

TEST(TransformerLength, EosIsForcedBySourceLengthAndTable) {
    const RunConfig config = toy({{"sampler.beam", "2"},
                                  {"sampler.min_length", "4"},
                                  {"sampler.max_length_a", "0.5"},
                                  {"sampler.max_length_b", "2"}});
    const auto model = confidentModel(config);
    const train::Generation all = generated(*model, config);
    for (std::size_t r = 0; r < 8; ++r) {
        const std::size_t source = testing::toySources()[r].size() - 1;  // as the encoder reads it
        for (const auto& candidate : all.rows[r].candidates) {
            EXPECT_GE(candidate.ids.size(), 4u);
            EXPECT_LE(candidate.ids.size(), source / 2 + 2);
        }
    }
    const RunConfig endless = toy({{"sampler.beam", "1"}, {"sampler.min_length", "23"}});
    const train::Generation longest = generated(*model, endless);
    for (const auto& row : longest.rows) EXPECT_EQ(row.best.ids.size(), 23u);
}

// The likeliest of several samples would be none of the distribution.
TEST(TransformerSamples, TheOutputOfSeveralIsTheOneThatIsDrawnAlone) {
    const auto outputs = [](const char* count) {
        const RunConfig config = toy({{"sampler.method", "sample"}, {"sampler.beam", count}});
        const auto model = confidentModel(config);
        std::vector<Ids> found;
        for (const auto& row : generated(*model, config).rows) {
            EXPECT_EQ(row.candidates.size(), std::stoul(count));
            found.push_back(row.best.ids);
        }
        return found;
    };
    EXPECT_EQ(outputs("5"), outputs("1"));
}

/// Frequencies of the first token over many samples, and its probabilities.
std::pair<std::vector<double>, std::vector<double>> firstTokens(const std::vector<Override>& settings,
                                                                int samples) {
    std::vector<Override> all{
        {"sampler.method", "sample"}, {"sampler.beam", "64"}, {"sampler.max_length_b", "1"}};
    all.insert(all.end(), settings.begin(), settings.end());
    const RunConfig config = toy(all);
    const auto model = confidentModel(config);
    const Ids source = testing::toySources()[2];
    std::vector<double> frequency(25, 0);
    for (int i = 0; i < samples; i += 64) {
        const train::Generation drawn =
            generated(*model, config, {source}, static_cast<std::uint64_t>(100 + i));
        for (const auto& c : drawn.rows[0].candidates)
            frequency[static_cast<std::size_t>(c.ids.at(0))] += 1.0 / samples;
    }
    TransformerNetImpl& net = netOf(*model);
    const torch::NoGradGuard noGrad;
    const std::vector<std::size_t> first{0};
    const auto [ids, lengths] = padRows({source}, first, at::kCPU, {text::kPad, 1});
    const std::vector<std::int32_t> one{1};
    at::Tensor logits = net.logits(
        net.decode(at::full({1, 1}, text::kEos, at::kLong), net.encode(ids, lengths, {}), one, {})[0][0]);
    for (const auto never : {text::kBos, text::kPad, text::kMask, text::kEos})
        logits[never] = -std::numeric_limits<float>::infinity();
    const at::Tensor p = at::softmax(logits / config.real("sampler.temperature"), 0).to(at::kDouble);
    return {frequency, std::vector<double>(p.const_data_ptr<double>(), p.const_data_ptr<double>() + 25)};
}

void expectFrequencies(const std::vector<double>& frequency, const std::vector<double>& p, int samples) {
    for (std::size_t v = 0; v < p.size(); ++v)
        EXPECT_NEAR(frequency[v], p[v], 4.5 * std::sqrt(p[v] * (1 - p[v]) / samples) + 1e-9) << v;
}

TEST(TransformerSamples, FollowTheDistributionAtAnyTemperature) {
    for (const char* temperature : {"1", "0.5", "3"}) {
        const auto [frequency, p] = firstTokens({{"sampler.temperature", temperature}}, 4096);
        expectFrequencies(frequency, p, 4096);
    }
}

TEST(TransformerSamples, AreOfTheKBestOrTheSmallestSetWithTheProbability) {
    for (const auto& [key, value] :
         std::vector<std::pair<std::string, std::string>>{{"sampler.top_k", "3"}, {"sampler.top_p", "0.6"}}) {
        auto [frequency, p] = firstTokens({{key, value}, {"sampler.temperature", "2"}}, 4096);
        std::vector<double> sorted = p;
        std::sort(sorted.rbegin(), sorted.rend());
        double sum = 0;
        std::size_t kept = 0;
        if (key == "sampler.top_k") kept = 3;
        for (double before = 0; key == "sampler.top_p" && before < 0.6; ++kept) before += sorted[kept];
        for (std::size_t i = 0; i < kept; ++i) sum += sorted[i];
        ASSERT_LT(kept, 20u);
        for (double& one : p) one = one >= sorted[kept - 1] ? one / sum : 0;
        expectFrequencies(frequency, p, 4096);
    }
}

TEST(TransformerSamples, AreScoredByTheModelItself) {
    const RunConfig config = toy({{"sampler.method", "sample"},
                                  {"sampler.beam", "4"},
                                  {"sampler.temperature", "1.5"},
                                  {"sampler.min_length", "0"},
                                  {"sampler.max_length_b", "10"}});
    const auto model = confidentModel(config);
    const train::Generation all = generated(*model, config);
    for (std::size_t r = 0; r < 8; ++r) {
        train::LikelihoodRequest request;
        for (const auto& candidate : all.rows[r].candidates) {
            Ids target{text::kBos};
            target.insert(target.end(), candidate.ids.begin(), candidate.ids.end());
            target.push_back(text::kEos);
            request.sources.push_back(testing::toySources()[r]);
            request.targets.push_back(target);
        }
        const auto scored = model->likelihood()->score(request);
        ASSERT_TRUE(scored);
        for (std::size_t c = 0; c < 4; ++c) {
            double sum = 0;
            for (const double p : scored->logProbability[c]) sum += p;
            EXPECT_NEAR(all.rows[r].candidates[c].score,
                        sum / static_cast<double>(scored->logProbability[c].size()), 1e-4);
        }
    }
}

TEST(TransformerTrace, HasOneNewTokenPerStep) {
    const RunConfig config = toy({{"sampler.beam", "3"}, {"sampler.max_length_b", "6"}});
    const auto model = confidentModel(config);
    train::GenerateRequest request;
    request.sources = {testing::toySources()[1]};
    request.what = {"hidden", "attention"};
    request.candidate = 1;
    trace::Trace trace;
    trace::TraceBuilder sink(trace);
    const auto made = model->generate(request, config, &sink);
    ASSERT_TRUE(made) << made.error().text();
    const auto plain = generated(*model, config, request.sources);
    EXPECT_EQ(made->rows[0].best.ids, plain.rows[0].candidates[1].ids);
    const Ids& ids = made->rows[0].best.ids;
    ASSERT_EQ(trace.steps, static_cast<int>(ids.size()) + 1);
    ASSERT_EQ(trace.positions, trace.steps + 1);
    double logP = 0;
    for (int step = 0; step < trace.steps; ++step) {
        for (int position = 0; position < trace.positions; ++position) {
            const auto expected = position == 0          ? trace::TokenState::Given
                                  : position <= step     ? trace::TokenState::Kept
                                  : position == step + 1 ? trace::TokenState::New
                                                         : trace::TokenState::Masked;
            EXPECT_EQ(trace.state[trace.cell(step, position)], static_cast<std::uint8_t>(expected));
            if (expected == trace::TokenState::Masked)
                EXPECT_EQ(trace.tokens[trace.cell(step, position)], static_cast<std::uint32_t>(text::kMask));
        }
        const std::size_t cell = trace.cell(step, step + 1);
        const std::int32_t written =
            step + 1 == trace.steps ? text::kEos : ids[static_cast<std::size_t>(step)];
        EXPECT_EQ(trace.tokens[cell], static_cast<std::uint32_t>(written));
        EXPECT_GE(trace.topProbability[cell * 8], trace.confidence[cell]);
        logP += std::log(trace.confidence[cell]);
    }
    EXPECT_NEAR(logP / static_cast<double>(ids.size() + 1), made->rows[0].best.score, 1e-4);
    EXPECT_EQ(trace.block("hidden/1")->shape, (std::vector<std::int64_t>{trace.steps, trace.positions, 32}));
    EXPECT_EQ(trace.block("attention/0")->shape,
              (std::vector<std::int64_t>{trace.steps, 2, trace.positions, trace.positions}));
}

TEST(TransformerErrors, NameTheirField) {
    const auto model = testing::toyModel(toy());
    const auto error = [&](const RunConfig& config, train::GenerateRequest request) {
        const auto made = model->generate(request, config, nullptr);
        EXPECT_FALSE(made);
        return made ? Error() : made.error();
    };
    train::GenerateRequest request;
    request.sources = {testing::toySources()[0]};
    EXPECT_EQ(error(toy({{"sampler.min_length", "24"}}), request).field, "sampler.min_length");
    request.candidate = 5;
    EXPECT_EQ(error(toy({{"sampler.beam", "2"}, {"sampler.max_length_b", "4"}}), request).code,
              "branch.candidate");
    request.sources = {Ids(25, 7)};
    EXPECT_EQ(error(toy(), request).code, "sample.too_long");
    EXPECT_EQ(model->likelihood()->score({request.sources, request.sources, {}}).error().code,
              "sample.too_long");
}

}  // namespace
}  // namespace kurve::models::transformer
