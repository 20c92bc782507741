#pragma once

#include "views/common/shell/panel.h"
#include "views/launch/queue_state.h"

class QHBoxLayout;
class QLabel;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace kurve::views {

class ContentOrEmpty;
class EmptyState;
class Queue;

/// The queue as a table: running, waiting and ended entries. Rows are dragged, or moved by Alt+Up and
/// Alt+Down.
class QueuePanel : public Panel {
    Q_OBJECT
public:
    explicit QueuePanel(const StudioContext& context, QWidget* parent = nullptr);
    [[nodiscard]] bool hasData() const override;
    [[nodiscard]] QString statement() const override;
    void engineInfoChanged() override;

private:
    void buildTable();
    QWidget* buildBar();
    void registerCommands();
    void registerUnblockCommands();
    void updateUnblockCommands();
    [[nodiscard]] std::optional<DeviceOccupant> blockingRunOfSelection() const;
    [[nodiscard]] QString defaultDevice() const;
    [[nodiscard]] bool isPaused(const QueueItem& item) const;
    [[nodiscard]] QString countsText() const;
    void show();
    void fillRow(QTreeWidgetItem& row, const QueueItem& item) const;
    void fillLimits();
    void moveSelected(int by);
    void contextMenu(const QPoint& position);
    void send(QueueEdit::Kind kind, const QString& text = {});
    [[nodiscard]] QStringList selected() const;
    [[nodiscard]] QStringList order() const;

    Queue& queue_;
    const QueueState& state_;
    std::vector<DeviceOccupant> occupants_;
    bool filling_ = false;
    QTreeWidget* table_;
    EmptyState* empty_;
    ContentOrEmpty* content_;
    QPushButton *pause_, *clearEnded_;
    QLabel* count_;
    QHBoxLayout* limits_ = nullptr;
};

}  // namespace kurve::views
