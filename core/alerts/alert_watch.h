#pragma once

#include <deque>
#include <map>
#include <optional>

#include "core/alerts/alert_rules.h"

namespace kurve::alerts {

struct Alarm {
    Action action = Action::Note;
    std::string text;  ///< what happened, one sentence
};

/// Looks at what a training logs and says when a rule is met: once, and again only after it was not met in
/// between. Pure: reads no clock and no disk. Used from one thread.
class AlertWatch {
public:
    explicit AlertWatch(const std::vector<Rule>& rules = {});

    /// Mean of -log of the words' own frequencies in the training targets, in nats: what a model reaches that
    /// has learnt nothing else. Without it no rule of kind Unigram speaks.
    void unigramLevel(double nats) { unigramLevel_ = nats; }
    /// Once per logged point or evaluation, with what is new.
    std::vector<Alarm> observe(std::int64_t step, const std::map<std::string, double>& metrics);
    std::vector<Alarm> observeDisk(double freeMegabytes);
    /// What to do about a step that was not finite; nullopt: no rule speaks of it.
    [[nodiscard]] std::optional<Action> onNonFinite() const;
    /// The end is to be told.
    [[nodiscard]] bool tellsEnd() const;
    [[nodiscard]] bool watchesDisk() const;

private:
    struct Watched {
        Rule rule;
        bool met = false;
        double mean = 0, weight = 0;  // of a spike: the recent points, debiased by the weight
        int points = 0;
        std::optional<double> best;
        std::int64_t bestStep = 0;
    };
    static std::optional<std::string> judge(Watched& watched, std::int64_t step, double value);
    [[nodiscard]] std::optional<std::string> lookAtWords(const Rule& rule) const;
    void rememberWords(std::int64_t step, const std::map<std::string, double>& metrics);

    /// NLL and length loss of a point.
    struct Words {
        std::int64_t step = 0;
        double nll = 0, length = 0;
    };
    std::vector<Watched> watched_;
    std::optional<double> unigramLevel_;
    std::deque<Words> words_;            // as far back as the longest rule of kind Unigram looks
    std::optional<double> firstLength_;  // length loss of the first point
};

}  // namespace kurve::alerts
