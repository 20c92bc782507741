// Edits while a Transformer decodes: what they must change, and what they must not.
#include <gmock/gmock.h>

#include "core/text/trained_specials.h"
#include "core/train/branch.h"
#include "models/transformer/transformer_model.h"
#include "tests/models/transformer/plain_beam.h"

namespace kurve::models::transformer {
namespace {

using trace::Edit;
using trace::EditKind;
using trace::Trace;

constexpr int kAt = 3;
constexpr std::size_t kLongest = 10;

class TransformerEdits : public ::testing::TestWithParam<const char*> {
protected:
    TransformerEdits()
        : config_(toy({{"sampler.beam", "3"},
                       {"sampler.method", GetParam()},
                       {"sampler.min_length", "6"},
                       {"sampler.max_length_b", std::to_string(kLongest)}})),
          model_(confidentModel(config_)) {
        request_.sources = {testing::toySources()[1], testing::toySources()[4]};
        request_.what = {"hidden"};
        parent_ = made({});
        EXPECT_GE(parent_.steps, 7);
    }
    Result<train::Generation> tried(const std::vector<Edit>& edits, Trace& into) {
        train::GenerateRequest request = request_;
        request.edits = edits;
        trace::TraceBuilder sink(into);
        return model_->generate(request, config_, &sink);
    }
    Trace made(const std::vector<Edit>& edits) {
        Trace trace;
        auto all = tried(edits, trace);
        EXPECT_TRUE(all) << all.error().text();
        if (all) rows_ = std::move(all->rows);
        return trace;
    }
    [[nodiscard]] Ids tokensOf(const Trace& trace) const {
        Ids ids;
        for (int position = 1; position + 1 < trace.positions; ++position)
            ids.push_back(static_cast<std::int32_t>(trace.tokens[trace.cell(trace.steps - 1, position)]));
        return ids;
    }
    [[nodiscard]] std::int32_t other() const { return tokensOf(parent_)[kAt] == 11 ? 12 : 11; }
    static void expectSameBefore(const Trace& a, const Trace& b, int steps) {
        for (int step = 0; step < steps; ++step)
            for (int position = 0; position <= step + 1; ++position) {
                const std::size_t i = a.cell(step, position), j = b.cell(step, position);
                EXPECT_EQ(a.tokens[i], b.tokens[j]) << step << ' ' << position;
                EXPECT_EQ(a.state[i], b.state[j]);
                EXPECT_NEAR(a.confidence[i], b.confidence[j], 1e-6);
                EXPECT_NEAR(a.entropy[i], b.entropy[j], 1e-5);
            }
    }
    [[nodiscard]] bool samples() const { return std::string(GetParam()) == "sample"; }

    RunConfig config_;
    std::unique_ptr<train::SequenceModel> model_;
    train::GenerateRequest request_;
    std::vector<train::GeneratedRow> rows_;  ///< of the last made()
    Trace parent_;
};

TEST_P(TransformerEdits, GeneratesAForcedTokenAndContinuesFromIt) {
    const auto untouched = rows_[1].best.ids;
    for (const EditKind kind : {EditKind::Force, EditKind::Pin}) {
        const Trace branch = made({{kind, kAt, kAt + 1, false, other(), "", {}}});
        expectSameBefore(parent_, branch, kAt);
        const Ids ids = tokensOf(branch);
        EXPECT_EQ(ids[kAt], other());
        EXPECT_EQ(ids, rows_[0].best.ids);
        EXPECT_EQ(rows_[1].best.ids, untouched) << "the other source";
        if (samples()) continue;
        Constraint constraint;
        const Ids before = tokensOf(parent_);
        constraint.prefix.assign(before.begin(), before.begin() + kAt);
        constraint.prefix.push_back(other());
        const auto expected = plainBeam(netOf(*model_), request_.sources[0], 3, kLongest, 1, constraint);
        EXPECT_EQ(ids, expected.front().ids);
        EXPECT_NEAR(rows_[0].best.score, expected.front().score, 1e-4);
    }
}

TEST_P(TransformerEdits, NeverGeneratesABannedToken) {
    const Ids before = tokensOf(parent_);
    std::vector<Edit> bans;
    Constraint constraint;
    constraint.prefix.assign(before.begin(), before.begin() + kAt);
    for (int round = 0; round < 3; ++round) {
        // Each time what came instead is banned too; a ban may precede the step of its position.
        constraint.banned.push_back(round == 0 ? before[kAt] : rows_[0].best.ids[kAt]);
        bans.push_back({EditKind::Ban, kAt - round, kAt + 1, false, constraint.banned.back(), "", {}});
        const Trace branch = made(bans);
        expectSameBefore(parent_, branch, kAt);
        const Ids ids = tokensOf(branch);
        ASSERT_GT(ids.size(), kAt);
        EXPECT_THAT(constraint.banned, ::testing::Not(::testing::Contains(ids[kAt])));
        if (samples()) continue;
        EXPECT_EQ(ids,
                  plainBeam(netOf(*model_), request_.sources[0], 3, kLongest, 1, constraint).front().ids);
    }
}

TEST_P(TransformerEdits, EndsAtAForcedEosAndContinuesAtABannedOne) {
    const Trace ended = made({{EditKind::Force, kAt, kAt + 1, false, text::kEos, "", {}}});
    Ids before = tokensOf(parent_);
    const int end = static_cast<int>(before.size());
    before.resize(kAt);
    EXPECT_EQ(tokensOf(ended), before);
    EXPECT_EQ(ended.steps, kAt + 1);
    Trace longer;
    const auto more = tried({{EditKind::Ban, end, end + 1, false, text::kEos, "", {}}}, longer);
    if (end == static_cast<int>(kLongest)) {
        EXPECT_EQ(more.error().code, "branch.position") << "at the greatest length";
    } else {
        ASSERT_TRUE(more) << more.error().text();
        EXPECT_GT(longer.steps, parent_.steps);
        expectSameBefore(parent_, longer, end);
    }
}

TEST_P(TransformerEdits, ALaterEditKeepsTheEarlierOne) {
    const Trace first = made({{EditKind::Force, 2, 3, false, other(), "", {}}});
    const Trace both = made({{EditKind::Force, 2, 3, false, other(), "", {}},
                             {EditKind::Force, kAt + 1, kAt + 2, false, other(), "", {}}});
    expectSameBefore(first, both, kAt + 1);
    EXPECT_EQ(tokensOf(both)[2], other());
    EXPECT_EQ(tokensOf(both)[kAt + 1], other());
}

TEST_P(TransformerEdits, EditsTheRequestedCandidate) {
    request_.candidate = 2;
    const Trace parent = made({});
    const Trace branch = made({{EditKind::Force, kAt, kAt + 1, false, other(), "", {}}});
    EXPECT_EQ(rows_[0].best.number, 2);
    expectSameBefore(parent, branch, kAt);
    EXPECT_EQ(tokensOf(branch)[kAt], other());
}

TEST_P(TransformerEdits, RejectsInvalidEdits) {
    const auto code = [&](Edit edit) {
        Trace trace;
        const auto all = tried({std::move(edit)}, trace);
        return all ? std::string("fine") : all.error().code;
    };
    EXPECT_EQ(code({EditKind::Force, kAt, kAt, false, 11, "", {}}), "branch.position") << "generated before";
    EXPECT_EQ(code({EditKind::Force, kAt, kAt + 2, false, 11, "", {}}), "branch.position") << "not yet";
    EXPECT_EQ(code({EditKind::Pin, kAt, kAt + 2, false, 11, "", {}}), "fine") << "from this step on";
    EXPECT_EQ(code({EditKind::Ban, kAt, kAt, false, 11, "", {}}), "branch.position");
    EXPECT_EQ(code({EditKind::Force, 0, 0, false, 11, "", {}}), "branch.position");
    EXPECT_EQ(code({EditKind::Force, kAt, kAt + 1, false, text::kPad, "", {}}), "branch.token");
    EXPECT_EQ(code({EditKind::Force, 12, 13, false, 11, "", {}}), "branch.position") << "beyond the longest";
    EXPECT_THAT(model_->edits(),
                ::testing::UnorderedElementsAre(EditKind::Force, EditKind::Pin, EditKind::Ban));
}

INSTANTIATE_TEST_SUITE_P(Methods, TransformerEdits, ::testing::Values("beam", "sample"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace kurve::models::transformer
