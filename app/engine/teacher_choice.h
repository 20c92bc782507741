#pragma once

#include <string>
#include <vector>

#include "app/engine/control_link.h"
#include "app/engine/run_access.h"

namespace kurve::engine {

/// The weights that a teacher writes with if nobody names them. The mean of the best checkpoints is the rule
/// (of five), but of a short run the five best reach back to where it knew little, and their
/// mean writes worse than one of them: so each mean, of as many checkpoints as there are up to five, and the
/// best one alone write the first validation pairs (eval.samples), and the highest BLEU is taken; of equals
/// the mean of more.
struct TeacherChoice {
    struct Candidate {
        std::string weights;  ///< "avg5", "best", as --checkpoint takes it
        double bleu = 0;
    };
    std::string weights;
    bool stopped = false;          ///< a stop was asked for: nothing is chosen
    std::vector<Candidate> tried;  ///< the mean of most first; empty if there was one checkpoint or no pair

    [[nodiscard]] nlohmann::json document() const;  ///< [{"weights","valid_bleu"}]
    [[nodiscard]] std::string text() const;         ///< one line for people
};
/// Says by `link` (mark "teacher") what it tries and what that reached, and reads from it whether to stop.
/// Errors: as loadModel and decode.
Result<TeacherChoice> chooseTeacher(const CommonOptions& common, const std::string& run, ControlLink& link);

}  // namespace kurve::engine
