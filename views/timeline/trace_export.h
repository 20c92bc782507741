#pragma once

#include <QImage>
#include <QTimer>
#include <QToolButton>
#include <functional>
#include <utility>
#include <vector>

#include "views/common/data/background.h"
#include "views/common/shell/panel.h"

namespace kurve::views {

/// Entries of every view's menu: figure in print colours, and tables.
void addViewActions(QMenu& menu, const CommandRegistry& commands);

/// The timeline's Export menu: figure, animation, pictures, interactive HTML, table and data of the trace.
/// Files are written on a worker. Registers "timeline.export" (the menu) and
/// "timeline.export_*" with `scope`.
class TraceExport : public QToolButton {
    Q_OBJECT
public:
    /// The canvas at a step of the loop (called on the GUI thread; `interval` in milliseconds).
    struct Pictures {
        std::function<QImage(int step)> at;
        std::function<std::pair<int, int>()> loop;  ///< first and last step
        std::function<int()> interval;
    };
    TraceExport(const StudioContext& context, Pictures pictures, QWidget* scope);

    /// "svg", "html", "csv", "json", "apng" or "pngs" (numbered pictures) to this file; statusMessage() has
    /// the result. Pictures are drawn one per turn of the event loop; a button with the progress cancels
    /// that, and another trace as well.
    void write(const QString& kind, const QString& file);
    [[nodiscard]] bool drawing() const { return drawing_.isActive(); }

public Q_SLOTS:
    void cancel();

Q_SIGNALS:
    void statusMessage(const QString& text);

private:
    void addKind(QMenu* menu, QWidget* scope, const char* kind, const QString& title, const QString& help);
    void ask(const QString& kind);
    void drawNext();
    void endDrawing();
    void save(const QString& kind, const QString& file, std::vector<QImage> pictures);

    StudioContext context_;
    Pictures pictures_;
    Background saving_{JobKind::Write};
    QToolButton* cancel_;
    QTimer drawing_;  ///< one picture per turn
    std::vector<QImage> drawn_;
    QString kind_, file_;  ///< of the pictures that are being drawn
};

}  // namespace kurve::views
