#include "core/train/corpus_vectors.h"

#include "core/train/model_family.h"

namespace kurve::train {

Result<PreparedVectors> prepareVectors(SequenceModel& model, const text::Dataset& data,
                                       const VectorWork& work) {
    CorpusVectors* const vectors = model.corpusVectors();
    return vectors == nullptr ? PreparedVectors() : vectors->prepare(data, work);
}

}  // namespace kurve::train
