#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/train/model_family.h"

namespace kurve::train {

/// What a model's training loss changes beside gradients, as it was at the construction: buffers (codebooks,
/// a scaler) and SequenceModel::history().
class LossEffects {
public:
    explicit LossEffects(SequenceModel& model);
    void undo();

private:
    SequenceModel& model_;
    std::vector<at::Tensor> buffers_;
    std::map<std::string, double> history_;
};

}  // namespace kurve::train
