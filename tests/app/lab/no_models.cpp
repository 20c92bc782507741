// These tests are without LibTorch: what needs a model is tested with the whole program.
#include "app/engine/score_pairs.h"

namespace kurve::engine {

Status scorePairs(const CommonOptions&, const ScoreRequest&, Output&) {
    return workError("test.no_model", "there is no model in this test");
}

}  // namespace kurve::engine
