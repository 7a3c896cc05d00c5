#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
// The parts of Linux that Swift's Glibc module leaves out.
#include <link.h>
#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timex.h>
