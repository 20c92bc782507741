#include "views/launch/queue_state.h"

#include <QJsonArray>
#include <QObject>
#include <algorithm>

namespace kurve::views {

namespace {

using State = QueueItem::State;
using Kind = QueueEdit::Kind;

constexpr const char* kStates[] = {"waiting", "held", "running", "completed", "cancelled", "failed"};
const QString kProcesses = QStringLiteral("--nproc");
const QString kOneStart = QStringLiteral("--force");  ///< holds for one start only
constexpr std::pair<const char*, QString QueueItem::*> kTexts[] = {
    {"id", &QueueItem::id},           {"title", &QueueItem::title},
    {"device", &QueueItem::device},   {"after", &QueueItem::after},
    {"run", &QueueItem::run},         {"reason", &QueueItem::reason},
    {"machine", &QueueItem::machine}, {"experiment", &QueueItem::experiment}};

/// The chain of "after" from `item` contains `wanted`.
bool follows(const QueueState& state, const QueueItem* item, const QString& wanted) {
    for (std::size_t steps = 0; item && steps <= state.items.size(); ++steps) {
        if (item->id == wanted) return true;
        item = state.find(item->after);
    }
    return false;
}

void editItem(const QueueEdit& edit, QueueState& state, QueueItem& item) {
    const bool waits = item.state == State::Waiting || item.state == State::Held;
    switch (edit.kind) {
        case Kind::Hold:
            if (waits) item.state = State::Held;
            break;
        case Kind::Release:
            if (item.state == State::Held) {
                item.state = State::Waiting;
                item.reason.clear();
            }
            // Released although what it follows did not complete.
            if (const QueueItem* first = state.find(item.after);
                waits && first && first->hasEnded() && first->state != State::Completed)
                item.after.clear();
            break;
        case Kind::Requeue:
            if (!item.hasEnded()) break;
            if (item.state == State::Failed) item.experiment.clear();  // the file may have been the cause
            item.state = State::Waiting;
            item.reason.clear();
            item.words.removeAll(kOneStart);
            if (item.words.value(0) == QLatin1String("train")) item.run.clear();
            break;
        case Kind::Device:
            if (waits) item.device = edit.text;
            break;
        case Kind::After:
            if (waits && !follows(state, state.find(edit.text), item.id)) item.after = edit.text;
            break;
        default:
            break;
    }
}

void reorder(const QStringList& ids, std::vector<QueueItem>& items) {
    const auto indexOf = [&](const QueueItem& item) {
        const auto at = ids.indexOf(item.id);
        return at < 0 ? ids.size() : at;
    };
    std::ranges::stable_sort(items, {}, indexOf);
}

}  // namespace

const char* stateId(QueueItem::State state) {
    return kStates[static_cast<int>(state)];
}

QStringList occupiedDevices(const QString& device, int processes) {
    if (processes < 2 || !device.startsWith(QLatin1String("cuda"))) return {device};
    constexpr int kMost = 1024;  // as the engine takes it; the number may come from anybody's file
    QStringList all;
    for (int gpu = 0; gpu < std::min(processes, kMost); ++gpu) all << QStringLiteral("cuda:%1").arg(gpu);
    return all;
}

QStringList QueueItem::devices(const QString& automatic) const {
    if (!machine.isEmpty()) return {machine};
    const qsizetype processes = words.indexOf(kProcesses);
    return occupiedDevices(device.isEmpty() ? automatic : device,
                           processes < 0 ? 1 : words.value(processes + 1).toInt());
}

const QueueItem* QueueState::find(const QString& id) const {
    const auto found = std::ranges::find(items, id, &QueueItem::id);
    return found == items.end() ? nullptr : &*found;
}

int QueueState::parallelOn(const QString& device) const {
    const auto found = parallel.find(device);
    return found == parallel.end() ? 1 : found->second;
}

QStringList QueueState::startable(std::map<QString, int> busy, const QString& automatic) const {
    QStringList ids;
    if (paused) return ids;
    for (const QueueItem& item : items) {
        if (item.state != State::Waiting || !waitsFor(item).isEmpty()) continue;
        bool free = true;
        for (const QString& device : item.devices(automatic))
            if (busy[device]++ >= parallelOn(device)) free = false;
        if (free) ids << item.id;
    }
    return ids;
}

QString QueueState::waitsFor(const QueueItem& item) const {
    const QueueItem* first = find(item.after);
    if (!first || first->state == State::Completed) return {};
    return first->hasEnded()
               ? QObject::tr("after %1, which did not complete; release it to start").arg(first->title)
               : QObject::tr("after %1").arg(first->title);
}

std::optional<DeviceOccupant> QueueState::blockingRun(const QueueItem& item,
                                                      const std::vector<DeviceOccupant>& occupants,
                                                      const QString& automatic) const {
    if (item.state != State::Waiting || paused || !waitsFor(item).isEmpty()) return std::nullopt;
    const QStringList devices = item.devices(automatic);
    const auto found = std::ranges::find_if(occupants, [&](const DeviceOccupant& occupant) {
        return occupant.paused && devices.contains(occupant.device) &&
               std::ranges::count(occupants, occupant.device, &DeviceOccupant::device) >=
                   parallelOn(occupant.device);
    });
    return found == occupants.end() ? std::nullopt : std::optional(*found);
}

QString QueueState::whyWaiting(const QueueItem& item, const std::vector<DeviceOccupant>& occupants,
                               const QString& automatic) const {
    if (const QString first = waitsFor(item); !first.isEmpty()) return first;
    if (paused) return QObject::tr("the queue is paused");
    if (const auto before = blockingRun(item, occupants, automatic))
        return QObject::tr(
                   "%1 is paused and blocks %2: resume it, stop it, or allow one more concurrent run "
                   "(context menu)")
            .arg(before->title, before->device);
    return QObject::tr("waiting for %1").arg(item.devices(automatic).join(QStringLiteral(", ")));
}

void apply(const QueueEdit& edit, QueueState& state) {
    auto& items = state.items;
    const auto wanted = [&](const QueueItem& item) { return edit.ids.contains(item.id); };
    const auto removed = [&](const QueueItem& item) { return wanted(item) && item.state != State::Running; };
    switch (edit.kind) {
        case Kind::Order:
            return reorder(edit.ids, items);
        case Kind::Pause:
            state.paused = edit.number != 0;
            return;
        case Kind::Parallel:
            state.parallel[edit.text] = std::max(1, edit.number);
            return;
        case Kind::Remove:
            for (QueueItem& item : items) {  // what waits for one does not start because that is gone
                const QueueItem* first = state.find(item.after);
                if (!first || !removed(*first) || first->state == State::Completed) continue;
                item.after.clear();
                if (item.state == State::Waiting) item.state = State::Held;
            }
            std::erase_if(items, removed);
            return;
        case Kind::ClearEnded:
            // Keep a failed one that others still wait for.
            std::erase_if(items, [&](const QueueItem& item) {
                const auto needs = [&](const QueueItem& other) {
                    return other.after == item.id && !other.hasEnded();
                };
                return item.hasEnded() &&
                       (item.state == State::Completed || std::ranges::none_of(items, needs));
            });
            return;
        default:
            for (QueueItem& item : items)
                if (wanted(item)) editItem(edit, state, item);
    }
}

QJsonObject QueueState::toJson() const {
    QJsonArray all;
    for (const QueueItem& item : items) {
        QStringList words = item.words;
        words.removeAll(kOneStart);
        QJsonObject entry{{QStringLiteral("words"), QJsonArray::fromStringList(words)},
                          {QStringLiteral("state"), QLatin1String(stateId(item.state))}};
        for (const auto& [key, member] : kTexts) entry.insert(QLatin1String(key), item.*member);
        all.append(entry);
    }
    QJsonObject limits;
    for (const auto& [device, count] : parallel) limits.insert(device, count);
    return {{QStringLiteral("items"), all},
            {QStringLiteral("parallel"), limits},
            {QStringLiteral("paused"), paused},
            {QStringLiteral("folder"), folder}};
}

namespace {

bool isOption(const QString& option, const QString& value) {
    if (option == kProcesses) return value.toInt() > 0;
    return option == QLatin1String("--set") && value.contains(QLatin1Char('='));
}

/// "train", an experiment's file and settings, as a draft queues them. The queue file may come from anybody
/// and its entries start automatically: nothing else is ever started.
bool isTraining(const QueueItem& item) {
    const QStringList& words = item.words;
    if (words.value(0) != QLatin1String("train") || !words.value(1).endsWith(QLatin1String(".toml")) ||
        words.size() % 2 != 0)
        return false;
    for (qsizetype i = 2; i < words.size(); i += 2)
        if (!isOption(words[i], words[i + 1])) return false;
    const QStringList values{words[1], item.device, item.run, item.machine};
    return std::ranges::none_of(values,
                                [](const QString& value) { return value.startsWith(QLatin1Char('-')); });
}

}  // namespace

QueueState QueueState::fromJson(const QJsonObject& json) {
    QueueState state;
    state.paused = json.value(QStringLiteral("paused")).toBool();
    state.folder = json.value(QStringLiteral("folder")).toString();
    const QJsonObject limits = json.value(QStringLiteral("parallel")).toObject();
    for (auto it = limits.begin(); it != limits.end(); ++it)
        state.parallel[it.key()] = std::max(1, it.value().toInt(1));
    for (const auto& value : json.value(QStringLiteral("items")).toArray()) {
        const QJsonObject entry = value.toObject();
        QueueItem item;
        for (const auto& [key, member] : kTexts) item.*member = entry.value(QLatin1String(key)).toString();
        for (const auto& word : entry.value(QStringLiteral("words")).toArray()) item.words << word.toString();
        const auto known =
            std::ranges::find(kStates, entry.value(QStringLiteral("state")).toString().toStdString());
        if (item.id.isEmpty() || !isTraining(item) || known == std::end(kStates)) continue;
        item.state = static_cast<State>(known - std::begin(kStates));
        state.items.push_back(std::move(item));
    }
    return state;
}

}  // namespace kurve::views
