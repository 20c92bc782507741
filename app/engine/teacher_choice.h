#pragma once

#include <string>
#include <vector>

#include "app/engine/control_link.h"
#include "app/engine/run_access.h"

namespace kurve::engine {

/// The weights of a teacher that names none. As a rule the mean of the five best checkpoints; but those of a
/// short run reach back to early steps, and their mean decodes worse than one of them: so each mean, of up to
/// five checkpoints, and the best one alone decode the first validation pairs (eval.samples), and the highest
/// BLEU wins; of equals the mean of more.
struct TeacherChoice {
    struct Candidate {
        std::string weights;  ///< "avg5", "best", as --checkpoint takes it
        double bleu = 0;
    };
    std::string weights;
    bool stopped = false;          ///< a stop was requested: nothing is chosen
    std::vector<Candidate> tried;  ///< the mean of most first; empty if there was one checkpoint or no pair

    [[nodiscard]] nlohmann::json document() const;  ///< [{"weights","valid_bleu"}]
    [[nodiscard]] std::string text() const;         ///< one line for people
};
/// Reports by `link` (mark "teacher") what it tries and its BLEU, and reads from it whether to stop.
/// Errors: as loadModel and decode.
Result<TeacherChoice> chooseTeacher(const CommonOptions& common, const std::string& run, ControlLink& link);

}  // namespace kurve::engine
