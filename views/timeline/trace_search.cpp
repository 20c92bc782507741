#include "views/timeline/trace_search.h"

#include <QRegularExpression>
#include <map>
#include <optional>

namespace kurve::views {
namespace {

using trace::TokenState;

struct Bound {
    Measure measure = Measure::Confidence;
    bool below = true;
    float value = 0;
};

struct Query {
    int position = -1;
    std::vector<TokenState> states;
    bool willMask = false, committed = false;
    std::vector<Bound> bounds;
    QStringList texts;
};

std::optional<TokenState> stateOf(const QString& word) {
    static const std::map<QString, TokenState> kWords{
        {"changed", TokenState::Flip},  {"flip", TokenState::Flip},       {"new", TokenState::New},
        {"masked", TokenState::Masked}, {"remasked", TokenState::Remask}, {"remask", TokenState::Remask},
        {"given", TokenState::Given}};
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

Result<Query> parse(const TimelineModel& model, const QString& text) {
    Query out;
    QStringList words = text.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    if (words.isEmpty())
        return requestError("search.empty", "the query is empty")
            .fix("enter a token, \"position 7\" or \"changed\"");
    for (qsizetype i = 0; i < words.size(); ++i) {
        if (words[i] == QStringLiteral("position") && i + 1 < words.size()) continue;  // its number follows
        bool number = false;
        const int position = words[i].toInt(&number);
        if (number && (position < 0 || position >= model.positions()))
            return requestError("search.number", "no position " + words[i].toStdString())
                .fix("positions go from 0 to " + std::to_string(model.positions() - 1));
        if (number)
            out.position = position;
        else if (const auto state = stateOf(words[i]))
            out.states.push_back(*state);
        else if (words[i] == QStringLiteral("will-mask"))
            out.willMask = true;
        else if (words[i] == QStringLiteral("committed"))
            out.committed = true;
        else if (const auto bound = boundOf(words[i]))
            out.bounds.push_back(*bound);
        else
            out.texts << words[i];
    }
    return out;
}

bool isNew(const TimelineModel& model, int step, int position) {
    return step == 0 || model.token(step, position) != model.token(step - 1, position);
}

bool holds(const TimelineModel& model, const Query& query, int step, int position) {
    const TokenState state = model.state(step, position);
    if (state == TokenState::Pad || (query.position >= 0 && position != query.position)) return false;
    for (const TokenState required : query.states)
        if (state != required) return false;
    if (query.willMask && !model.marks().willMask(step, position)) return false;
    if (query.committed && !model.marks().committed(step, position)) return false;
    for (const Bound& bound : query.bounds) {
        const float value = model.value(bound.measure, step, position);
        if (!(bound.below ? value < bound.value : value > bound.value)) return false;
    }
    const QString token = QString::fromStdString(model.textOf(model.token(step, position)).text).toLower();
    for (const QString& text : query.texts)
        if (!token.contains(text)) return false;
    const bool positionOnly = query.states.empty() && query.bounds.empty() && query.texts.isEmpty() &&
                              !query.willMask && !query.committed;
    if (positionOnly) return step > 0 && isNew(model, step, position);
    return query.texts.isEmpty() || isNew(model, step, position);
}

}  // namespace

Result<std::vector<TraceCell>> searchTrace(const TimelineModel& model, const QString& text) {
    KURVE_TRY(const Query query, parse(model, text));
    std::vector<TraceCell> out;
    for (int step = 0; step < model.steps(); ++step)
        for (int position = 0; position < model.positions(); ++position)
            if (holds(model, query, step, position)) out.push_back({step, position});
    return out;
}

}  // namespace kurve::views
