#include "views/timeline/trace_search.h"

#include <QRegularExpression>
#include <map>
#include <optional>

namespace kurve::views {
namespace {

using trace::SlotState;

struct Bound {
    Measure measure = Measure::Confidence;
    bool below = true;
    float value = 0;
};

struct Question {
    int slot = -1;
    std::vector<SlotState> states;
    bool willMask = false, committed = false;
    std::vector<Bound> bounds;
    QStringList pieces;
};

std::optional<SlotState> stateOf(const QString& word) {
    static const std::map<QString, SlotState> kWords{
        {"changed", SlotState::Flip},  {"flip", SlotState::Flip},       {"new", SlotState::New},
        {"masked", SlotState::Masked}, {"remasked", SlotState::Remask}, {"remask", SlotState::Remask},
        {"given", SlotState::Given}};
    const auto found = kWords.find(word);
    return found == kWords.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Bound> boundOf(const QString& word) {
    static const QRegularExpression kForm(
        QStringLiteral("^(confidence|margin|entropy|norm)([<>])([0-9.]+)$"));
    const auto match = kForm.match(word);
    if (!match.hasMatch()) return std::nullopt;
    const QString name = match.captured(1);
    return Bound{name == "confidence" ? Measure::Confidence
                 : name == "margin"   ? Measure::Margin
                 : name == "norm"     ? Measure::Norm
                                      : Measure::Entropy,
                 match.captured(2) == "<", match.captured(3).toFloat()};
}

Result<Question> parse(const TimelineModel& model, const QString& text) {
    Question out;
    QStringList words = text.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    if (words.isEmpty())
        return requestError("search.empty", "nothing is asked")
            .fix("write a word, \"slot 7\" or \"changed\"");
    for (qsizetype i = 0; i < words.size(); ++i) {
        if (words[i] == QStringLiteral("slot") && i + 1 < words.size()) continue;  // its number follows
        bool number = false;
        const int slot = words[i].toInt(&number);
        if (number && (slot < 0 || slot >= model.slots()))
            return requestError("search.number", "there is no slot " + words[i].toStdString())
                .fix("slots go from 0 to " + std::to_string(model.slots() - 1));
        if (number)
            out.slot = slot;
        else if (const auto state = stateOf(words[i]))
            out.states.push_back(*state);
        else if (words[i] == QStringLiteral("will-mask"))
            out.willMask = true;
        else if (words[i] == QStringLiteral("committed"))
            out.committed = true;
        else if (const auto bound = boundOf(words[i]))
            out.bounds.push_back(*bound);
        else
            out.pieces << words[i];
    }
    return out;
}

bool arrived(const TimelineModel& model, int step, int slot) {
    return step == 0 || model.token(step, slot) != model.token(step - 1, slot);
}

bool holds(const TimelineModel& model, const Question& asked, int step, int slot) {
    const SlotState state = model.state(step, slot);
    if (state == SlotState::Pad || (asked.slot >= 0 && slot != asked.slot)) return false;
    for (const SlotState wanted : asked.states)
        if (state != wanted) return false;
    if (asked.willMask && !model.marks().willMask(step, slot)) return false;
    if (asked.committed && !model.marks().committed(step, slot)) return false;
    for (const Bound& bound : asked.bounds) {
        const float value = model.value(bound.measure, step, slot);
        if (!(bound.below ? value < bound.value : value > bound.value)) return false;
    }
    const QString piece = QString::fromStdString(model.piece(model.token(step, slot)).text).toLower();
    for (const QString& wanted : asked.pieces)
        if (!piece.contains(wanted)) return false;
    const bool slotAlone = asked.states.empty() && asked.bounds.empty() && asked.pieces.isEmpty() &&
                           !asked.willMask && !asked.committed;
    if (slotAlone) return step > 0 && arrived(model, step, slot);
    return asked.pieces.isEmpty() || arrived(model, step, slot);
}

}  // namespace

Result<std::vector<Edit>> searchTrace(const TimelineModel& model, const QString& question) {
    KURVE_TRY(const Question asked, parse(model, question));
    std::vector<Edit> out;
    for (int step = 0; step < model.steps(); ++step)
        for (int slot = 0; slot < model.slots(); ++slot)
            if (holds(model, asked, step, slot)) out.push_back({step, slot});
    return out;
}

}  // namespace kurve::views
