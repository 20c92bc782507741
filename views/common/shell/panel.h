#pragma once

#include <QJsonObject>
#include <QString>
#include <QWidget>
#include <functional>

#include "core/store/project.h"
#include "views/common/services/services.h"

class QStackedLayout;

namespace kurve::views {

class CommandRegistry;
class Playhead;
class Selection;
class RunCatalog;
class EngineInfo;
class EmptyState;

/// What a panel is given by the composition root; everything outlives the panels.
struct StudioContext {
    const store::Project* project = nullptr;
    CommandRegistry* commands = nullptr;
    Playhead* playhead = nullptr;
    Selection* selection = nullptr;
    RunCatalog* catalog = nullptr;       ///< the runs of the project, read on a worker thread
    const EngineInfo* engine = nullptr;  ///< what `kurve describe --json` said (schemas, metrics, schedules)
    std::shared_ptr<Services> services = std::make_shared<Services>();
    /// A service of the studio or of a panel; one that does nothing where there is none.
    template <class T>
    [[nodiscard]] T& ask() const {
        return services->get<T>();
    }
};

/// A view: draws what it is given, and asks the services of its context for what it does not do itself.
/// Starts no work of its own, writes nothing, never runs SQL or reads large files on the GUI thread. Sets
/// object names ("monitor.pause") and accessible names on its controls.
class Panel : public QWidget {
    Q_OBJECT
public:
    Panel(const QString& id, const QString& title, const StudioContext& context, QWidget* parent = nullptr);
    [[nodiscard]] const QString& panelId() const { return id_; }
    [[nodiscard]] const QString& title() const { return title_; }
    /// False while the panel shows its empty state; the tour's index.json reports it.
    [[nodiscard]] virtual bool hasData() const { return !isEmpty(); }
    /// One plain sentence on what is shown now.
    [[nodiscard]] virtual QString statement() const { return {}; }
    /// The engine's description has arrived, changed or failed; context().engine is empty (never null) before
    /// that.
    virtual void engineInfoChanged() {}
    /// What the panel keeps for the next session; stateChanged() tells when to ask.
    [[nodiscard]] virtual QJsonObject saveState() const { return {}; }
    /// Called once, after the constructor and with what saveState() returned in the last session; empty:
    /// nothing was saved.
    virtual void restoreState(const QJsonObject& /*saved*/) {}

Q_SIGNALS:
    void statusMessage(const QString& text);
    void stateChanged();
    /// False: the panel has nothing to show for the present selection, and the tab beside it comes to the
    /// front until there is something again.
    void availableChanged(bool available);

protected:
    [[nodiscard]] const StudioContext& context() const { return context_; }
    template <class T>
    [[nodiscard]] T& ask() const {
        return context_.ask<T>();
    }
    /// Fills the panel; while setEmpty() there is an empty state instead, whose button does the action.
    void setContent(QWidget* content, std::function<void()> action = {});
    void setEmpty(bool empty);
    [[nodiscard]] bool isEmpty() const;
    /// A headline, one sentence with the next action, and the text of the button; empty: there is none.
    void setEmptyTexts(const QString& headline, const QString& sentence, const QString& button = {});

private:
    QString id_, title_;
    StudioContext context_;
    QStackedLayout* pages_ = nullptr;
    EmptyState* emptyState_ = nullptr;
};

}  // namespace kurve::views
