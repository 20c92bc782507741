#pragma once

#include <QMap>
#include <QString>

namespace kurve::views {

/// The window about the panels.
class Studio {
public:
    virtual ~Studio() = default;
    /// Goes to a panel, also one that was closed.
    virtual void reveal(const QString& /*panel*/) {}
    /// The same, and gives it the focus.
    virtual void goTo(const QString& /*panel*/) {}
    /// Makes a panel without going there: what it offers can be asked for.
    virtual void make(const QString& /*panel*/) {}
};

/// Opens recorded traces of runs; `file` is relative to the run's folder. They are read on a worker and
/// become those of the Selection.
class Traces {
public:
    virtual ~Traces() = default;
    /// In the workspace Inspect.
    virtual void open(const QString& /*run*/, const QString& /*file*/) {}
    /// In place of the shown one: the denoising step (the same fraction, where their numbers differ) and the
    /// position stay, and no workspace opens.
    virtual void replace(const QString& /*run*/, const QString& /*file*/) {}
    /// As the reference beside the shown one.
    virtual void openBeside(const QString& /*run*/, const QString& /*file*/) {}
    /// The newest one of the selected run, as soon as the run is read.
    virtual void openNewest() {}
    /// Into the trash, as an edit that can be undone.
    virtual void trash(const QString& /*run*/, const QString& /*file*/) {}
    /// The shown trace was requested by the user, not opened automatically.
    [[nodiscard]] virtual bool wasRequested() const { return false; }
};

/// The default sampler settings of runs.
class Samplers {
public:
    virtual ~Samplers() = default;
    /// `settings`: sampler.* as texts; none: the run's own.
    virtual void save(const QString& /*run*/, const QMap<QString, QString>& /*settings*/) {}
};

/// The list of runs, which is a panel ("runs").
class RunList {
public:
    virtual ~RunList() = default;
    virtual void setFilterText(const QString& /*expression*/) {}
};

}  // namespace kurve::views
