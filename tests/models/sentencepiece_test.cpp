// LibTorch and SentencePiece both carry protobuf; one process must be able to use both.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "core/text/tokenizer.h"
#include "tests/support/temporary_folder.h"

namespace kurve::models {
namespace {

TEST(SentencePieceBesideTorch, TrainsLoadsAndEncodesInOneProcess) {
    const at::Tensor before = at::mm(at::ones({64, 64}), at::ones({64, 64}));
    std::vector<std::string> lines;
    for (int i = 0; i < 200; ++i)
        lines.push_back("the word number " + std::to_string(i) +
                        " of a small and simple text about curves and words");
    const kurve::testing::TemporaryFolder folder;
    text::TokenizerSpec spec;
    spec.vocabularySize = 60;
    const Status trained = text::trainTokenizer(spec, lines, folder.path() / "tokenizer");
    ASSERT_TRUE(trained) << trained.error().text();
    const auto tokenizer = text::loadTokenizer(folder.path() / "tokenizer");
    ASSERT_TRUE(tokenizer) << tokenizer.error().text();
    EXPECT_EQ((*tokenizer)->decode((*tokenizer)->encode("a small text")), "a small text");
    EXPECT_TRUE(at::equal(before, at::mm(at::ones({64, 64}), at::ones({64, 64}))));
}

}  // namespace
}  // namespace kurve::models
