#pragma once

#include <QImage>
#include <QToolButton>
#include <functional>
#include <vector>

#include "views/common/background.h"
#include "views/common/panel.h"

namespace kurve::views {

/// The timeline's Export menu: picture and animation of what is shown, and table, vector strip and playing
/// page of its trace. Files are written on a worker. Registers "timeline.export" (the menu) and
/// "timeline.export_*" with `scope`.
class TraceExport : public QToolButton {
    Q_OBJECT
public:
    /// What the canvas shows now, and at every step (called on the GUI thread; `interval` in milliseconds).
    struct Pictures {
        std::function<QImage()> one;
        std::function<std::vector<QImage>()> all;
        std::function<int()> interval;
    };
    TraceExport(const StudioContext& context, Pictures pictures, QWidget* scope);

    /// "svg", "html", "csv", "json", "apng" or "pngs" (numbered pictures) to this file; said() tells the
    /// outcome.
    void write(const QString& kind, const QString& file);

Q_SIGNALS:
    void said(const QString& text);

private:
    void addKind(QMenu* menu, QWidget* scope, const char* kind, const QString& title, const QString& help);
    void addCopies(QMenu* menu, QWidget* scope);
    void ask(const QString& kind);

    StudioContext context_;
    Pictures pictures_;
    Background saving_;
};

}  // namespace kurve::views
