#pragma once

#include "core/train/session.h"

namespace kurve::train {

/// A rank other than 0 of a training in several processes: computes its parts of the steps that rank 0
/// orders, until that ends. Records nothing. Of the request family, config, project, device, threads,
/// resolver and maybeGroup count. Errors: those of the data and the model; distributed.*.
Status followTraining(const SessionRequest& request);

}  // namespace kurve::train
