#pragma once

#include <QString>
#include <QWidget>

#include "core/store/project.h"

namespace kurve::views {

class CommandRegistry;
class Playhead;
class Selection;
class RunCatalog;
class EngineInfo;

/// What a panel is given by the composition root; everything outlives the panels.
struct StudioContext {
    const store::Project* project = nullptr;
    CommandRegistry* commands = nullptr;
    Playhead* playhead = nullptr;
    Selection* selection = nullptr;
    RunCatalog* catalog = nullptr;       ///< the runs of the project, read on a worker thread
    const EngineInfo* engine = nullptr;  ///< what `kurve describe --json` said (schemas, metrics, schedules)
};

/// A view: draws what it is given and emits intents as Qt signals. Starts no work of its own, writes nothing,
/// never runs SQL or reads large files on the GUI thread. Sets object names ("monitor.pause") and accessible
/// names on its controls.
class Panel : public QWidget {
    Q_OBJECT
public:
    Panel(const QString& id, const QString& title, const StudioContext& context, QWidget* parent = nullptr);
    [[nodiscard]] const QString& panelId() const { return id_; }
    [[nodiscard]] const QString& title() const { return title_; }
    /// False while the panel shows its empty state; the tour's index.json reports it.
    [[nodiscard]] virtual bool hasData() const = 0;
    /// One plain sentence on what is shown now.
    [[nodiscard]] virtual QString statement() const { return {}; }
    /// The engine's description has arrived or changed; context().engine is empty (never null) before that.
    virtual void engineInfoChanged() {}

Q_SIGNALS:
    void statusMessage(const QString& text);

protected:
    [[nodiscard]] const StudioContext& context() const { return context_; }

private:
    QString id_, title_;
    StudioContext context_;
};

}  // namespace kurve::views
