#pragma once

#include <QObject>
#include <QStringList>
#include <functional>

class QUndoStack;

namespace kurve::views {

class RunCatalog;

/// What a user does to runs of the list, with undo: names, stars, archive and trash. Each is said in one
/// sentence that names what it keeps and how many bytes that is.
class RunEdits : public QObject {
    Q_OBJECT
public:
    explicit RunEdits(RunCatalog& catalog, QObject* parent = nullptr);
    void rename(const QString& id, const QString& name);
    /// All as the first is not.
    void star(const QStringList& ids);
    /// Out of the list, untouched; or back, if the first of them is archived.
    void archive(const QStringList& ids);
    void trash(const QStringList& ids, bool on);
    void undo();
    void redo();

Q_SIGNALS:
    void said(const QString& text);

private:
    void push(const QString& text, std::function<void()> redo, std::function<void()> undo);
    [[nodiscard]] QString sizeOf(const QStringList& ids) const;  ///< "3 runs, 12 MB"

    RunCatalog& catalog_;
    QUndoStack* undo_;
};

}  // namespace kurve::views
