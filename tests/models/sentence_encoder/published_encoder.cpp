#include "tests/models/sentence_encoder/published_encoder.h"

#include <torch/torch.h>

#include "core/base/file.h"
#include "core/text/published/published_tokenizer.h"
#include "core/train/decode.h"
#include "models/families.h"

namespace kurve::models::testing {

namespace fs = std::filesystem;

Result<PublishedEncoderModel> openPublished(const fs::path& folder) {
    const train::ModelFamily& family = *findFamily("sentence_encoder");
    PublishedEncoderModel out;
    KURVE_TRY(const auto files, train::publishedWeightFiles(folder));
    KURVE_TRY(const auto tensors, train::publishedTensors(files));
    KURVE_TRY(out.published,
              family.maybePublishedFormat()->read(readJson(folder / "config.json"), tensors, folder));
    KURVE_TRY(const auto tokenizer, text::readPublishedTokenizer(folder));
    KURVE_TRY(out.tokenizer, text::completeTokenizer(tokenizer.tokenizer, out.published.vocabulary));
    KURVE_TRY(out.config, RunConfig::parse("family = \"sentence_encoder\"\npreset = \"minilm-l6\"\n",
                                           "config.json", schemaLookup(), out.published.settings));
    KURVE_TRY(out.model, family.create(out.config,
                                       {train::shapeOf({out.tokenizer, out.tokenizer, {}, {}}, out.config)}));
    KURVE_CHECKED(train::loadPublishedWeights(files, out.published, out.model->module()));
    return out;
}

nlohmann::json readJson(const fs::path& file) {
    return nlohmann::json::parse(*readFile(file));
}

std::pair<at::Tensor, std::vector<std::int32_t>> padded(const nlohmann::json& sentences, std::int64_t width,
                                                        std::int64_t padding) {
    at::Tensor ids = at::full({static_cast<std::int64_t>(sentences.size()), width}, padding, at::kLong);
    std::vector<std::int32_t> lengths;
    for (std::size_t row = 0; row < sentences.size(); ++row) {
        const auto one = sentences[row].get<std::vector<std::int64_t>>();
        ids[static_cast<std::int64_t>(row)]
            .narrow(0, 0, static_cast<std::int64_t>(one.size()))
            .copy_(at::tensor(one));
        lengths.push_back(static_cast<std::int32_t>(one.size()));
    }
    return {ids, lengths};
}

}  // namespace kurve::models::testing
