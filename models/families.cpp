#include "models/families.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/calm/calm_family.h"
#include "models/calm_autoencoder/autoencoder_family.h"
#include "models/cmlm/cmlm_family.h"
#include "models/concept/concept_family.h"
#include "models/difformer/difformer_family.h"
#include "models/diffusia/diffusia_family.h"
#include "models/lcm/lcm_family.h"
#include "models/mdlm/mdlm_family.h"
#include "models/ngram/ngram_family.h"
#include "models/sclm/sclm_family.h"
#include "models/sclm_mdlm/sclm_mdlm_family.h"
#include "models/sentence_encoder/encoder_family.h"
#include "models/transformer/transformer_family.h"

namespace kurve::models {
namespace {

template <class... Families>
std::vector<std::unique_ptr<train::ModelFamily>> listOf() {
    std::vector<std::unique_ptr<train::ModelFamily>> list;
    (list.push_back(std::make_unique<Families>()), ...);
    return list;
}

std::vector<std::unique_ptr<train::ModelFamily>>& list() {
    static auto all =
        listOf<difformer::DifformerFamily, sclm::SclmFamily, sclm_mdlm::SclmMdlmFamily, cmlm::CmlmFamily,
               mdlm::MdlmFamily, transformer::TransformerFamily, ngram::NgramFamily,
               calm_autoencoder::AutoencoderFamily, calm::CalmFamily, sentence_encoder::EncoderFamily,
               sentence_concept::ConceptFamily, lcm::LcmFamily, diffusia::DiffusiaFamily>();
    return all;
}

}  // namespace

const std::vector<std::unique_ptr<train::ModelFamily>>& families() {
    return list();
}

void testOnlyAddFamily(std::unique_ptr<train::ModelFamily> family) {
    list().push_back(std::move(family));
}

const train::ModelFamily* findFamily(const std::string& id) {
    for (const auto& family : families())
        if (family->ownSchema().family == id) return family.get();
    return nullptr;
}

SchemaLookup schemaLookup() {
    return [](const std::string& id) -> Result<std::shared_ptr<const Schema>> {
        if (const train::ModelFamily* family = findFamily(id))
            return std::make_shared<const Schema>(train::schemaOf(*family));
        std::vector<std::string> known;
        for (const auto& family : families()) known.push_back(family->ownSchema().family);
        return requestError("config.unknown_family", fmt::format("unknown model family '{}'", id))
            .at("family")
            .fix(fmt::format("known: {}", fmt::join(known, ", ")));
    };
}

}  // namespace kurve::models
